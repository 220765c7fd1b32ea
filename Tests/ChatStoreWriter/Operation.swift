import BLEStorage
import BLETesting
package import BlueChat
package import BlueChatStore

/// Something that is done to a store; a number decides which.
package enum Operation: Sendable, Equatable {
    case addFriend(Int, Friend.State)
    case changeKey(Int, to: Int)
    case setState(Friend.State, of: Int)
    case verify(Int, Bool)
    case rename(Int, String?)
    case removeFriend(Int)
    case receive(Int, from: Int, String, file: [UInt8]?)
    case send(Int, to: Int, String, file: [UInt8]?)
    case deliver(Int, to: Int, DeliveryState)
    case resend(Int, to: Int)
    case requeue(Int)
    case edit(Int, with: Int, StoredMessage.Direction, String)
    case delete(Int, with: Int, StoredMessage.Direction)
    case markRead(Int, through: Int?)
    case removeHistory(Int)

    /// The operation of a number: the same in each process.
    package init(_ number: Int, seed: UInt64) {
        var generator = SeededGenerator(seed: seed &+ UInt64(number) &* 0x1_0000_0001)
        let friend = Int.random(in: 0..<4, using: &generator)
        let id = Int.random(in: 0..<24, using: &generator)
        let state = Friend.State.allCases.randomElement(using: &generator) ?? .confirmed
        let author: StoredMessage.Direction =
            Bool.random(using: &generator) ? .incoming : .outgoing
        let text = Self.text(using: &generator)
        let file = Int.random(in: 0..<8, using: &generator) == 0 ? Array(text.utf8) : nil
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<6: self = .addFriend(friend, state == .blocked ? .confirmed : state)
        case 6..<8: self = .changeKey(friend, to: (friend + 1) % 4)
        case 8..<10: self = .setState(state, of: friend)
        case 10..<12: self = .verify(friend, id % 2 == 0)
        case 12..<14: self = .rename(friend, id % 3 == 0 ? nil : text)
        case 14: self = .removeFriend(friend)
        case 15..<40: self = .receive(id, from: friend, text, file: file)
        case 40..<60: self = .send(id, to: friend, text, file: file)
        case 60..<78:
            let states: [DeliveryState] = [
                .waiting, .sending, .sent, .delivered, .read, .failed(text),
            ]
            self = .deliver(id, to: friend, states.randomElement(using: &generator) ?? .sent)
        case 78..<81: self = .resend(id, to: friend)
        case 81..<83: self = .requeue(friend)
        case 83..<89: self = .edit(id, with: friend, author, text)
        case 89..<93: self = .delete(id, with: friend, author)
        case 93..<99: self = .markRead(friend, through: id % 2 == 0 ? id : nil)
        default: self = .removeHistory(friend)
        }
    }

    private static func text(using generator: inout SeededGenerator) -> String {
        let words = ["Hi", "👋", "rain", "café", "明日", "\"", "", "it's", "\0", "e\u{301}"]
        return (0..<Int.random(in: 0..<6, using: &generator))
            .map { _ in words.randomElement(using: &generator) ?? "" }.joined(separator: " ")
    }

    /// The friend of a number: some have keys, some have not.
    package static func friend(_ number: Int) -> FriendID {
        guard number % 2 == 0, let key = ChatKey([UInt8](repeating: UInt8(number), count: 32))
        else { return .address("friend \(number)") }
        return .key(key)
    }

    /// The message's identifier of a number.
    package static func id(_ number: Int) -> MessageID {
        guard let id = MessageID([UInt8](repeating: UInt8(number), count: 16)) else {
            preconditionFailure("a message's identifier has 16 bytes")
        }
        return id
    }

    /// The message of a number.
    package static func message(_ number: Int, _ text: String, _ file: [UInt8]?) -> NewMessage {
        NewMessage(
            id: id(number),
            text: text,
            file: file.map { NewMessage.File(name: "\(number).txt", content: $0) },
            sent: WallTime(millisecondsSince1970: Int64(number))
        )
    }

    /// What is said of an addition.
    package static func outcome(_ addition: Addition) -> String {
        if case .added = addition { "added" } else { "already there" }
    }
}
