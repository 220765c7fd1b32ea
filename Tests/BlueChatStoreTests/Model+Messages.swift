import BlueChatStore
import chat_store_writer

extension Model {
    /// Carries out an operation that is about messages.
    mutating func applyToMessages(_ operation: Operation) -> String {
        switch operation {
        case .receive(let id, let number, let text, let file):
            return withPerson(number) { $0.add(id, text, file, isOutgoing: false) }
        case .send(let id, let number, let text, let file):
            return withPerson(number) { $0.add(id, text, file, isOutgoing: true) }
        case .deliver(let id, let number, let next):
            return withMessage(id, number) { message in
                guard let state = message.state else { return "notTheAuthor" }
                guard state.canBecome(next) else { return "false" }
                message.state = next
                return "true"
            }
        case .resend(let id, let number):
            return withMessage(id, number) { message in
                guard let state = message.state else { return "notTheAuthor" }
                if message.isDeleted { return "deleted" }
                guard case .failed = state else { return "false" }
                message.state = .waiting
                return "true"
            }
        case .requeue(let number):
            return withPerson(number) { "\($0.requeue())" }
        case .edit(let id, let number, let author, let text):
            return withMessage(id, number) { message in
                guard message.isOutgoing == (author == .outgoing) else { return "notTheAuthor" }
                if message.isDeleted { return "deleted" }
                message.earlier = (message.earlier + [message.text]).suffix(16)
                message.text = text
                message.isEdited = true
                return ""
            }
        case .delete(let id, let number, let author):
            return withMessage(id, number) { message in
                guard message.isOutgoing == (author == .outgoing) else { return "notTheAuthor" }
                if message.isDeleted { return "" }
                message.text = ""
                message.file = nil
                message.earlier = []
                message.isUnread = false
                message.isDeleted = true
                return ""
            }
        case .markRead(let number, let last):
            return withPerson(number) { $0.markRead(through: last) }
        default:
            return "not an operation about messages"
        }
    }

    private mutating func withMessage(
        _ id: Int,
        _ number: Int,
        _ body: (inout Message) -> String
    ) -> String {
        withPerson(number) { person in
            guard let index = person.messages.firstIndex(where: { $0.id == id }) else {
                return "noSuchMessage"
            }
            return body(&person.messages[index])
        }
    }
}

extension Model.Person {
    fileprivate mutating func add(
        _ id: Int,
        _ text: String,
        _ file: [UInt8]?,
        isOutgoing: Bool
    ) -> String {
        if messages.contains(where: { $0.id == id }) { return "already there" }
        if state == .blocked { return "blocked" }
        messages.append(
            Model.Message(
                id: id,
                isOutgoing: isOutgoing,
                text: text,
                file: file,
                state: isOutgoing ? .waiting : nil,
                isUnread: !isOutgoing
            )
        )
        return "added"
    }

    fileprivate mutating func markRead(through last: Int?) -> String {
        var end = messages.count
        if let last {
            guard let index = messages.firstIndex(where: { $0.id == last }) else {
                return "noSuchMessage"
            }
            end = index + 1
        }
        let unread = messages.indices.prefix(end).filter { messages[$0].isUnread }
        for index in unread { messages[index].isUnread = false }
        return unread.map { "\(messages[$0].id)" }.joined(separator: " ")
    }
}
