import BLELocking
import BlueChat

/// The chats that are on; who began one or wrote last is meant by a line without a name.
final class CurrentChat: Sendable {
    private let chats = Locked<[Chat]>([])

    /// Whoever is meant; `nil` when no chat is on.
    var last: Chat? { chats.withLock(\.last) }

    /// Something happened to a chat.
    func take(_ event: ChatEvent) {
        switch event {
        case .began(let chat), .received(_, let chat), .receivedMessage(_, let chat):
            chats.withLock { chats in
                chats.removeAll { $0.id == chat.id }
                chats.append(chat)
            }
        case .ended(let chat, _): chats.withLock { $0.removeAll { $0.id == chat.id } }
        default: break
        }
    }
}
