import SwiftSyntax

/// The cases of a module's enums, and the constants of its structs that stand for cases.
struct EnumCases {
    private let groups: [[String]]

    init(in files: [SourceFileSyntax]) {
        let finder = Finder(viewMode: .sourceAccurate)
        for file in files { finder.walk(file) }
        groups = finder.groups.values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }
    }

    /// The case behind a case, in the one type that has it; behind the last one comes the first.
    func next(after name: String) -> String? {
        let fitting = groups.filter { $0.contains(name) }
        guard fitting.count == 1, let index = fitting[0].firstIndex(of: name) else { return nil }
        return fitting[0][(index + 1) % fitting[0].count]
    }

    private final class Finder: SyntaxVisitor {
        var groups: [String: [String]] = [:]
        private var types: [String] = []

        override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
            types.append(node.name.text)
            return .visitChildren
        }

        override func visitPost(_ node: EnumDeclSyntax) { types.removeLast() }

        override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
            types.append(node.name.text)
            return .visitChildren
        }

        override func visitPost(_ node: StructDeclSyntax) { types.removeLast() }

        override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
            types.append(node.extendedType.trimmedDescription)
            return .visitChildren
        }

        override func visitPost(_ node: ExtensionDeclSyntax) { types.removeLast() }

        override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind {
            if node.parameterClause == nil { add(node.name.text) }
            return .skipChildren
        }

        /// `static let peerGone = Self(.peerGone)` is a case for who uses it.
        override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
            guard node.modifiers.contains(where: { $0.name.text == "static" }),
                let binding = node.bindings.first, let type = types.last,
                let call = binding.initializer?.value.as(FunctionCallExprSyntax.self)
            else { return .skipChildren }
            let made = call.calledExpression.trimmedDescription
            if made == "Self" || made == type || type.hasSuffix(".\(made)") {
                add(binding.pattern.trimmedDescription)
            }
            return .skipChildren
        }

        private func add(_ name: String) {
            groups[types.joined(separator: "."), default: []].append(name)
        }
    }
}
