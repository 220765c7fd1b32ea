import BLEStorage
import BlueChat
import Testing

@testable import BlueChatStore

@Suite("Messages", .timeLimit(.minutes(10)))
struct MessageTests {
    private let sent = WallTime(millisecondsSince1970: -5)
    private let received = WallTime(millisecondsSince1970: .max)

    @Test(arguments: ["", "Hi 👋🏽", "a\0b", "e\u{301}", "\u{202E}rtl", "line\nline"])
    func `are kept as they are`(text: String) async throws {
        try await withStore { store in
            try await store.addFriends()
            let message = NewMessage(text: text, sent: sent)
            let addition = try await store.add(message, from: bob, at: received)
            let expected = StoredMessage(
                id: message.id,
                friend: bob,
                number: 1,
                direction: .incoming,
                text: text,
                sent: sent,
                received: received,
                isUnread: true
            )
            #expect(addition == .added(expected))
            let found = try await store.message(message.id, with: bob)
            #expect(found == expected)
            #expect(found.map { Array($0.text.utf8) } == Array(text.utf8))
            #expect(try await store.message(message.id, with: carol) == nil)
        }
    }

    @Test func `of the user's wait`() async throws {
        try await withStore { store in
            try await store.addFriends()
            let message = try await store.add(NewMessage(text: "Hi", sent: sent), to: carol).message
            #expect(message.direction == .outgoing)
            #expect(message.state == .waiting)
            #expect(message.received == nil)
            #expect(!message.isUnread)
        }
    }

    @Test func `that come twice are there once`() async throws {
        try await withStore { store in
            try await store.addFriends()
            let first = NewMessage(text: "one")
            let added = try await store.add(first, from: bob)
            let second = NewMessage(id: first.id, text: "two")
            #expect(try await store.add(second, from: bob) == .alreadyThere(added.message))
            #expect(try await store.add(second, to: bob) == .alreadyThere(added.message))
            #expect(try await store.messages(with: bob).messages == [added.message])
            // In another conversation it is another message.
            guard case .added = try await store.add(second, from: carol) else {
                Issue.record("it was taken for Bob's")
                return
            }
        }
    }

    @Test func `that come again when they were read or deleted stay so`() async throws {
        try await withStore { store in
            try await store.addFriends()
            let message = NewMessage(text: "one")
            _ = try await store.add(message, from: bob)
            try await store.delete(message.id, with: bob, by: .incoming)
            guard case .alreadyThere(let known) = try await store.add(message, from: bob) else {
                Issue.record("it came again")
                return
            }
            #expect(known.text == "")
            #expect(try await store.unreadCount(of: bob) == 0)
        }
    }

    @Test func `from who is blocked are refused, and so are those to them`() async throws {
        try await withStore { store in
            try await store.addFriends()
            try await store.setState(.blocked, of: bob)
            let message = NewMessage(text: "Hi")
            #expect(try await refusal { _ = try await store.add(message, from: bob) } == .blocked)
            #expect(try await refusal { _ = try await store.add(message, to: bob) } == .blocked)
            #expect(try await store.messages(with: bob).messages.isEmpty)
        }
    }

    @Test(arguments: [0, 1, 1_048_576])
    func `carry files`(count: Int) async throws {
        try await withStore { store in
            try await store.addFriends()
            let content = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            let file = NewMessage.File(name: "../a 👋.txt", content: content)
            let message = NewMessage(text: "", file: file)
            _ = try await store.add(message, to: bob)
            let found = try await store.message(message.id, with: bob)
            #expect(found?.file == StoredMessage.File(name: "../a 👋.txt", byteCount: count))
            #expect(try await store.file(of: message.id, with: bob) == content)
            try await store.delete(message.id, with: bob, by: .outgoing)
            #expect(try await store.message(message.id, with: bob)?.file == nil)
            #expect(try await store.file(of: message.id, with: bob) == nil)
        }
    }

    @Test func `have identifiers of 16 bytes, friends keys of 32`() {
        #expect(MessageID([UInt8](repeating: 0, count: 15)) == nil)
        #expect(MessageID([UInt8](repeating: 0, count: 17)) == nil)
        #expect(ChatKey([UInt8](repeating: 0, count: 31)) == nil)
        #expect(ChatKey([UInt8](repeating: 0, count: 33)) == nil)
        #expect(MessageID(0..<16)?.description == "000102030405060708090a0b0c0d0e0f")
        #expect(MessageID() != MessageID())
    }
}
