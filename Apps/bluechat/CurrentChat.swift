import BLELocking
import BlueChat

/// The chats that are on; with one alone, a line without a name is for it.
final class CurrentChat: Sendable {
    private let chats = Locked<[Chat]>([])

    /// The chat that is on.
    ///
    /// - Returns: the chat.
    /// - Throws: `ChatError` with `notFound` when there is none, and when there are several: what is said to one is not the
    ///   others' business.
    func only() throws -> Chat {
        let chats = chats.withLock(\.self)
        guard let chat = chats.first else { throw ChatError(.notFound, "nobody chats") }
        guard chats.count == 1 else {
            let titles = chats.map(\.title).joined(separator: ", ")
            throw ChatError(.notFound, "several chat (\(titles)): say to whom, with NAME and a tab")
        }
        return chat
    }

    /// Something happened to a chat.
    func take(_ event: ChatEvent) {
        switch event {
        case .began(let chat): chats.withLock { $0.append(chat) }
        case .ended(let chat, _): chats.withLock { $0.removeAll { $0.id == chat.id } }
        default: break
        }
    }
}
