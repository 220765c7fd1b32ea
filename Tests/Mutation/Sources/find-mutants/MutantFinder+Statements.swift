import SwiftSyntax

extension MutantFinder {
    private static let assignments = [
        "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|=", "&+=": "&-=",
        "<<=": ">>=", ">>=": "<<=",
    ]

    func changeStatement(_ node: CodeBlockItemSyntax) {
        switch node.item {
        case .expr(let expression):
            if node.isResult, let result = node.resultType {
                if result == "Bool" { negate(expression) }
                return
            }
            changeStatement(expression)
        case .stmt(let statement):
            let isLeaving =
                statement.as(ReturnStmtSyntax.self)?.expression == nil
                && statement.is(ReturnStmtSyntax.self)
                || statement.is(ThrowStmtSyntax.self) || statement.is(ContinueStmtSyntax.self)
            // A guard's body has to leave.
            guard isLeaving, node.parent?.parent?.parent?.is(GuardStmtSyntax.self) != true else {
                return
            }
            add("removed", .removal, at: statement, "")
        case .decl:
            return
        }
    }

    /// A returned claim says the contrary.
    func changeResult(_ value: ExprSyntax) {
        if value.resultType == "Bool" { negate(value) }
    }

    private func changeStatement(_ expression: ExprSyntax) {
        let inner = expression.withoutEffects
        if let call = inner.as(FunctionCallExprSyntax.self) {
            let callee = call.calledExpression.trimmedDescription
            // A value that is made is a result.
            guard !call.isForPeople, callee.first?.isUppercase != true,
                callee != "self.init", callee != "super.init"
            else { return }
            add("removed", .removal, at: expression, "")
        } else if let infix = inner.as(InfixOperatorExprSyntax.self) {
            if infix.operator.is(AssignmentExprSyntax.self) {
                guard !expression.isInInitializer else { return }
                add("removed", .removal, at: expression, "")
            } else if let symbol = infix.operator.as(BinaryOperatorExprSyntax.self)?.operator.text,
                let other = Self.assignments[symbol]
            {
                add("removed", .removal, at: expression, "")
                let left = infix.leftOperand.trimmedDescription
                let changed = "\(left) \(other) \(infix.rightOperand.trimmedDescription)"
                add("operator", .exchange, at: expression, changed)
            }
        }
    }

    private func negate(_ expression: ExprSyntax) {
        guard !expression.is(BooleanLiteralExprSyntax.self), !expression.is(IfExprSyntax.self),
            !expression.is(SwitchExprSyntax.self)
        else { return }
        add("result", at: expression, "!(\(expression.trimmedDescription))")
    }
}

extension ExprSyntax {
    /// What stands behind `try` and `await`.
    fileprivate var withoutEffects: ExprSyntax {
        if let attempt = self.as(TryExprSyntax.self) { return attempt.expression.withoutEffects }
        if let wait = self.as(AwaitExprSyntax.self) { return wait.expression.withoutEffects }
        return self
    }
}

extension CodeBlockItemSyntax {
    /// Whether it is all that a function or a property has, so that it may be what that returns.
    fileprivate var isResult: Bool {
        guard let list = parent?.as(CodeBlockItemListSyntax.self), list.count == 1 else {
            return false
        }
        guard let block = list.parent?.as(CodeBlockSyntax.self) else {
            return list.parent?.is(AccessorBlockSyntax.self) == true
        }
        return block.parent?.is(FunctionDeclSyntax.self) == true
            || block.parent?.is(AccessorDeclSyntax.self) == true
    }
}

extension SyntaxProtocol {
    /// Whether it stands in an initializer's own body, where most properties must be set.
    fileprivate var isInInitializer: Bool {
        var node = parent
        while let around = node, !around.is(ClosureExprSyntax.self),
            !around.is(FunctionDeclSyntax.self)
        {
            if around.is(InitializerDeclSyntax.self) { return true }
            node = around.parent
        }
        return false
    }

    /// What the function or the property around returns; `nil` in a closure, and for nothing.
    fileprivate var resultType: String? {
        var node = parent
        while let around = node {
            if around.is(ClosureExprSyntax.self) { return nil }
            if let function = around.as(FunctionDeclSyntax.self) {
                return function.signature.returnClause?.type.trimmedDescription
            }
            if around.as(AccessorDeclSyntax.self)?.accessorSpecifier.text == "set" { return nil }
            if let binding = around.as(PatternBindingSyntax.self) {
                return binding.typeAnnotation?.type.trimmedDescription
            }
            if around.is(DeclSyntax.self), !around.is(AccessorDeclSyntax.self) { return nil }
            node = around.parent
        }
        return nil
    }
}
