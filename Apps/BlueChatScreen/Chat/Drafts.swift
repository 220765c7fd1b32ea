internal import BLETerminal

/// What is being written to people whose chat is not open.
struct Drafts: Sendable {
    /// For how many people; of more the oldest ones are lost, those without a text first.
    static let limit = 256

    private var editors: [String: LineEditor] = [:]
    /// Whose, the last one at the end.
    private var order: [String] = []

    var count: Int { editors.count }

    mutating func keep(_ editor: LineEditor, of id: String) {
        _ = take(of: id)
        guard !editor.text.isEmpty || !editor.entered.isEmpty else { return }
        editors[id] = editor
        order.append(id)
        guard order.count > Self.limit else { return }
        let oldest = order.first { editors[$0]?.text.isEmpty == true } ?? order[0]
        _ = take(of: oldest)
    }

    mutating func take(of id: String) -> LineEditor? {
        guard let editor = editors.removeValue(forKey: id) else { return nil }
        order.removeAll { $0 == id }
        return editor
    }

    /// Has another id for the same person.
    mutating func identify(_ old: String, as new: String) {
        guard editors[new] == nil, let editor = take(of: old) else { return }
        keep(editor, of: new)
    }
}
