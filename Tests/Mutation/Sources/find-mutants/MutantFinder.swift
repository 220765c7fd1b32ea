import SwiftSyntax

/// Finds what can be changed in a file.
///
/// It knows no types: what does not compile is found by the compiler, and left out then.
final class MutantFinder: CodeVisitor {
    private let converter: SourceLocationConverter
    let cases: EnumCases
    private(set) var mutants: [Mutant] = []

    init(_ tree: SourceFileSyntax, cases: EnumCases) {
        converter = SourceLocationConverter(fileName: "", tree: tree)
        self.cases = cases
        super.init(viewMode: .sourceAccurate)
        walk(tree)
    }

    func add(
        _ kind: String,
        _ form: Mutant.Form = .choice,
        at node: some SyntaxProtocol,
        _ changed: String
    ) {
        let begin = node.positionAfterSkippingLeadingTrivia
        let place = converter.location(for: begin)
        mutants.append(
            Mutant(
                form: form,
                kind: kind,
                line: place.line,
                column: place.column,
                begin: begin.utf8Offset,
                end: node.endPositionBeforeTrailingTrivia.utf8Offset,
                changed: changed,
                scope: scope(of: node)
            )
        )
    }

    /// The lines of the member, or of the declaration in a file, that holds a node.
    private func scope(of node: some SyntaxProtocol) -> [Int] {
        var around = Syntax(node)
        while let parent = around.parent, !around.is(MemberBlockItemSyntax.self),
            !parent.is(SourceFileSyntax.self)
        {
            around = parent
        }
        let begin = around.positionAfterSkippingLeadingTrivia
        let end = around.endPositionBeforeTrailingTrivia
        return [converter.location(for: begin).line, converter.location(for: end).line]
    }

    override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        changeConstant(node)
        return .skipChildren
    }

    override func visit(_ node: FloatLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        add("constant", at: node, "\(node.trimmedDescription) * 2")
        return .skipChildren
    }

    override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        // `while true` is a loop's form.
        guard node.parent?.is(ConditionElementSyntax.self) != true else { return .skipChildren }
        add("constant", at: node, node.literal.text == "true" ? "false" : "true")
        return .skipChildren
    }

    override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind {
        // Without one of its cases a switch would not compile.
        node.expression.is(IntegerLiteralExprSyntax.self) ? .visitChildren : .skipChildren
    }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        changeMember(node)
        return .visitChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        guard !node.isForPeople else { return .skipChildren }
        changeCall(node)
        return .visitChildren
    }

    override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        changeOperator(node)
        return .visitChildren
    }

    override func visit(_ node: PrefixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        if node.operator.text == "!" {
            add("negation", at: node, node.expression.trimmedDescription)
        }
        return .visitChildren
    }

    override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
        changeCondition(node)
        return .visitChildren
    }

    override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
        add("condition", at: node.condition, "!(\(node.condition.trimmedDescription))")
        return .visitChildren
    }

    override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
        add("condition", at: node.condition, "true")
        return .visitChildren
    }

    override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
        changeStatement(node)
        return .visitChildren
    }

    override func visit(_ node: ReturnStmtSyntax) -> SyntaxVisitorContinueKind {
        if let value = node.expression { changeResult(value) }
        return .visitChildren
    }
}
