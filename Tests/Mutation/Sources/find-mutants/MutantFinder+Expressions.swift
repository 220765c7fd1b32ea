import SwiftSyntax

extension MutantFinder {
    private static let operators = [
        ">": ">=", ">=": ">", "<": "<=", "<=": "<", "==": "!=", "!=": "==", "===": "!==",
        "!==": "===",
        "&&": "||", "||": "&&", "+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "<<": ">>",
        ">>": "<<", "&": "|", "|": "&", "&+": "&-", "&-": "&+",
    ]

    private static let members = [
        "first": "last", "last": "first", "min": "max", "max": "min", "prefix": "suffix",
        "suffix": "prefix", "removeFirst": "removeLast", "removeLast": "removeFirst",
        "hasPrefix": "hasSuffix", "hasSuffix": "hasPrefix",
    ]

    /// One more, and one less.
    func changeConstant(_ node: IntegerLiteralExprSyntax) {
        let digits = node.literal.text.replacing("_", with: "").lowercased()
        let radix = ["0x": 16, "0b": 2, "0o": 8][digits.prefix(2)] ?? 10
        guard let value = UInt64(radix == 10 ? digits[...] : digits.dropFirst(2), radix: radix)
        else { return }
        let shown = { (value: UInt64) in
            radix == 10 ? String(value) : "0x" + String(value, radix: 16, uppercase: true)
        }
        if value < .max { add("constant", at: node, shown(value + 1)) }
        if value > 0 { add("constant", at: node, shown(value - 1)) }
    }

    func changeOperator(_ node: InfixOperatorExprSyntax) {
        guard let symbol = node.operator.as(BinaryOperatorExprSyntax.self)?.operator.text else {
            return
        }
        let left = node.leftOperand.trimmedDescription
        let right = node.rightOperand.trimmedDescription
        switch symbol {
        case "??":
            add("default", at: node, right)
        case "..<", "...":
            // A literal is a mutant of its own.
            guard !node.rightOperand.is(IntegerLiteralExprSyntax.self) else { return }
            add("bound", at: node.rightOperand, "(\(right)) - 1")
        case "+" where node.hasText:
            return
        default:
            guard let other = Self.operators[symbol] else { return }
            add("operator", at: node, "\(left) \(other) \(right)")
        }
    }

    func changeMember(_ node: MemberAccessExprSyntax) {
        let name = node.declName.baseName.text
        let call = node.parent?.as(FunctionCallExprSyntax.self)
        let isCalled = call?.calledExpression.id == node.id
        if let base = node.base, let other = Self.members[name] {
            let end =
                isCalled ? call?.trimmedDescription.dropFirst(node.trimmedDescription.count) : ""
            let changed = "\(base.trimmedDescription).\(other)\(end ?? "")"
            if isCalled, let call {
                add("member", at: call, changed)
            } else {
                add("member", at: node, changed)
            }
        } else if !isCalled, let other = cases.next(after: name) {
            let base = node.base?.trimmedDescription ?? ""
            // Of a value it is a property of the same name.
            guard base.first?.isUppercase != false else { return }
            add("case", at: node, "\(base).\(other)")
        }
    }

    func changeCall(_ node: FunctionCallExprSyntax) {
        guard let name = node.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text,
            name == "min" || name == "max", node.arguments.count == 2
        else { return }
        add(
            "member",
            at: node,
            (name == "min" ? "max" : "min") + node.trimmedDescription.dropFirst(3)
        )
    }

    func changeCondition(_ node: ConditionElementSyntax) {
        guard case .expression(let condition) = node.condition,
            !condition.is(BooleanLiteralExprSyntax.self)
        else { return }
        add("condition", at: condition, "false")
        // A loop without an end is noticed by its time alone.
        if node.parent?.parent?.is(WhileStmtSyntax.self) != true {
            add("condition", at: condition, "true")
        }
    }
}

extension InfixOperatorExprSyntax {
    /// Whether it joins texts or arrays, which can't be subtracted.
    fileprivate var hasText: Bool {
        [leftOperand, rightOperand].contains {
            $0.is(StringLiteralExprSyntax.self) || $0.is(ArrayExprSyntax.self)
        }
    }
}

extension FunctionCallExprSyntax {
    private static let checks: Set = [
        "precondition", "preconditionFailure", "assert", "assertionFailure", "fatalError", "print",
    ]

    /// Whether it writes a log or checks what a caller must not do.
    var isForPeople: Bool {
        if let name = calledExpression.as(DeclReferenceExprSyntax.self) {
            return Self.checks.contains(name.baseName.text)
        }
        let base = calledExpression.as(MemberAccessExprSyntax.self)?.base?.trimmedDescription ?? ""
        return base.lowercased().hasSuffix("logger")
    }
}
