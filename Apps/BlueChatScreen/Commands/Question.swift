/// What is asked before something is done that can't be undone.
struct Question: Hashable, Sendable {
    let text: String
    /// What yes means.
    private(set) var action: Action

    /// Asks whether a person is to be forgotten.
    init(removing person: Person) {
        text = "Remove \(person.shownName())? y/n"
        action = .remove(person: person.id)
    }

    /// Asks whether a message is to be deleted.
    init(deleting message: Message, of person: Person) {
        let content = message.file.map { "[file] " + $0.name } ?? message.text
        text = "Delete \"\(content.fitted(24))\" for \(person.shownName())? y/n"
        action = .delete(message: message.id, person: person.id)
    }

    /// Has another id for the same person.
    mutating func identify(_ old: String, as new: String) {
        switch action {
        case .remove(old): action = .remove(person: new)
        case .delete(let message, old): action = .delete(message: message, person: new)
        default: break
        }
    }
}
