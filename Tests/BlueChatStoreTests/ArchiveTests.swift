import BlueChat
import Testing

@testable import BlueChatStore

@Suite("A store as an archive", .timeLimit(.minutes(10)))
struct ArchiveTests {
    private static let key = ChatIdentity().key
    private static var friend: FriendID { .key(key) }

    private static func message(
        _ content: ChatMessage.Content,
        id: MessageID = MessageID()
    ) throws -> ChatMessage {
        try ChatMessage(content, time: 1_000, id: id)
    }

    @Test func `lets strangers in, up to as many requests as are wanted`() async throws {
        try await withStore { store in
            for number in 0..<StoreLimits.requestCount {
                let key = try #require(ChatKey([UInt8](repeating: UInt8(number), count: 32)))
                #expect(try await store.history(of: key, named: "S") == ChatHistory(name: "S"))
                #expect(try await store.friend(.key(key))?.state == .requestReceived)
            }
            #expect(try await store.history(of: Self.key, named: "S") == nil)
            #expect(try await store.friend(Self.friend) == nil)
            // But whom the user calls.
            #expect(
                try await store.history(of: Self.key, named: "S", isCalled: true)
                    == ChatHistory(name: "S")
            )
            try await store.chatDidNotBegin(with: Self.key)
            #expect(try await store.friend(Self.friend) == nil)
            // Once one is answered there is room.
            let first = FriendID.key(try #require(ChatKey([UInt8](repeating: 0, count: 32))))
            try await store.setState(.confirmed, of: first)
            #expect(try await store.history(of: Self.key, named: "T") != nil)
        }
    }

    @Test func `knows another key of a friend's name`() async throws {
        try await withStore { store in
            try await store.addFriend(Self.friend, toldName: "Bob", state: .confirmed)
            let other = ChatIdentity().key
            _ = try await store.history(of: other, named: "Bob")
            let new = try #require(try await store.friend(.key(other)))
            #expect(new.predecessor == Self.friend)
            #expect(new.state == .requestReceived && !new.isVerified)
            // The name of somebody known may change.
            _ = try await store.history(of: Self.key, named: "Robert")
            #expect(try await store.friend(Self.friend)?.toldName == "Robert")
        }
    }

    @Test(arguments: [Friend.State.requested, .confirmed])
    func `lets nobody who is known take a friend's name`(state: Friend.State) async throws {
        try await withStore { store in
            try await store.addFriend(Self.friend, toldName: "Bob", state: state)
            try await store.rename(Self.friend, to: "Robert")
            let mallory = ChatIdentity().key
            _ = try await store.history(of: mallory, named: "Mal")
            for (name, expected) in [
                ("Bob", "Mal"), ("Robert", "Mal"), ("Malory", "Malory"), ("Bob", "Malory"),
            ] {
                #expect(try await store.history(of: mallory, named: name)?.name == expected)
                #expect(try await store.friend(.key(mallory))?.toldName == expected)
            }
            // Once nobody has it any more it is free.
            try await store.removeFriend(Self.friend)
            _ = try await store.history(of: mallory, named: "Bob")
            #expect(try await store.friend(.key(mallory))?.toldName == "Bob")
            // What the user calls them goes before it.
            try await store.rename(.key(mallory), to: "Not Bob")
            #expect(try await store.history(of: mallory, named: "Bob")?.name == "Not Bob")
        }
    }

    /// The user was warned when the new key came.
    @Test func `lets a friend with a new key have the old name again`() async throws {
        try await withStore { store in
            try await store.addFriend(Self.friend, toldName: "Bob", state: .confirmed)
            let other = ChatIdentity().key
            for name in ["Bob", "Bobby", "Bob"] {
                _ = try await store.history(of: other, named: name)
                #expect(try await store.friend(.key(other))?.toldName == name)
            }
        }
    }

    @Test func `has nothing for whom it blocks`() async throws {
        try await withStore { store in
            try await store.addFriend(Self.friend, toldName: "Bob", state: .blocked)
            #expect(try await store.history(of: Self.key, named: "Bob") == nil)
            let text = try Self.message(.text("let me in"))
            #expect(try await store.keep(text, from: Self.key) == .refused)
            #expect(try await store.messages(with: Self.friend).messages.isEmpty)
        }
    }

    @Test func `keeps each kind of message once`() async throws {
        try await withStore { store in
            try await store.addFriend(Self.friend, toldName: "Bob", state: .requested)
            let text = try Self.message(.text("one"))
            #expect(try await store.keep(text, from: Self.key) == .kept)
            #expect(try await store.keep(text, from: Self.key) == .known)
            // Whoever was asked, and says something, is a friend.
            #expect(try await store.friend(Self.friend)?.state == .confirmed)
            let file = try Self.message(.file(ChatFile(name: "a", bytes: [1, 2])))
            #expect(try await store.keep(file, from: Self.key) == .kept)
            #expect(try await store.file(of: file.id, with: Self.friend) == [1, 2])
            let edit = try Self.message(.edit(text.id, text: "ONE"))
            #expect(try await store.keep(edit, from: Self.key) == .kept)
            #expect(try await store.message(text.id, with: Self.friend)?.text == "ONE")
            let deletion = try Self.message(.deletion(file.id))
            #expect(try await store.keep(deletion, from: Self.key) == .kept)
            #expect(try await store.message(file.id, with: Self.friend)?.deleted != nil)
            // A change of what is not there, of what is deleted, and of the user's own.
            let own = try await store.add(NewMessage(text: "mine"), to: Self.friend).message.id
            for target in [MessageID(), file.id, own] {
                let change = try Self.message(.edit(target, text: "x"))
                #expect(try await store.keep(change, from: Self.key) == .refused)
            }
            #expect(try await store.message(own, with: Self.friend)?.text == "mine")
        }
    }

    @Test func `hands out what waits, and what is known`() async throws {
        try await withStore { store in
            try await store.addFriend(Self.friend, toldName: "Bob", state: .confirmed)
            let file = NewMessage.File(name: "a.txt", content: [7])
            let waiting = [
                try await store.add(NewMessage(text: "1"), to: Self.friend).message.id,
                try await store.add(NewMessage(text: "", file: file), to: Self.friend).message.id,
            ]
            // What no chat takes is in nobody's way.
            let empty = try await store.add(NewMessage(text: ""), to: Self.friend).message.id
            let delivered = try await store.add(NewMessage(text: "2"), to: Self.friend).message.id
            try await store.keep(.delivered(delivered), from: Self.key)
            let (one, two) = (try Self.message(.text("a")), try Self.message(.text("b")))
            for message in [one, two] { _ = try await store.keep(message, from: Self.key) }
            try await store.markRead(with: Self.friend, through: one.id)
            let history = try #require(try await store.history(of: Self.key, named: "Bob"))
            #expect(history.waiting.map(\.id) == waiting)
            #expect(
                history.waiting.map(\.content) == [
                    .text("1"), .file(try ChatFile(name: "a.txt", bytes: [7])),
                ]
            )
            #expect(history.unread == [delivered])
            #expect(history.received == [one.id, two.id])
            #expect(history.lastRead == one.id)
            guard case .failed? = try await store.message(empty, with: Self.friend)?.state else {
                Issue.record("an empty text still waits")
                return
            }
        }
    }

    @Test func `takes receipts, and none that is forged`() async throws {
        try await withStore { store in
            try await store.addFriend(Self.friend, toldName: "Bob", state: .confirmed)
            let ids = try await store.addTexts(["1", "2", "3"], to: Self.friend)
            let theirs = try Self.message(.text("theirs"))
            _ = try await store.keep(theirs, from: Self.key)
            try await store.keep(.read([ids[0], ids[1], MessageID(), theirs.id]), from: Self.key)
            try await store.keep(.delivered(ids[0]), from: Self.key)
            try await store.keep(.refused(ids[2]), from: Self.key)
            let states = try await store.messages(with: Self.friend).messages.map(\.state)
            #expect(states == [.read, .read, .failed("not accepted"), nil])
            #expect(try await store.waitingCounts().isEmpty)
        }
    }

    @Test func `keeps so much of a stranger and no more`() async throws {
        try await withStore { store in
            _ = try await store.history(of: Self.key, named: "S")
            let first = try Self.message(.text("first"))
            #expect(try await store.keep(first, from: Self.key) == .kept)
            for number in 1..<StoreLimits.requestMessageCount {
                _ = try await store.add(NewMessage(text: "\(number)"), from: Self.friend)
            }
            let next = try Self.message(.text("one more"))
            #expect(try await store.keep(next, from: Self.key) == .refused)
            #expect(try await store.keep(first, from: Self.key) == .known)
            // What is there may be changed.
            let edit = try Self.message(.edit(first.id, text: "FIRST"))
            #expect(try await store.keep(edit, from: Self.key) == .kept)
            // Once they are answered there is room.
            try await store.setState(.confirmed, of: Self.friend)
            #expect(try await store.keep(next, from: Self.key) == .kept)
        }
    }

    @Test func `keeps so many bytes of a stranger and no more, earlier texts included`()
        async throws
    {
        try await withStore { store in
            _ = try await store.history(of: Self.key, named: "S")
            let long = String(repeating: "ä", count: StoreLimits.textByteCount / 2)
            let count = StoreLimits.requestByteCount / StoreLimits.textByteCount
            let message = NewMessage(text: long)
            _ = try await store.add(message, from: Self.friend)
            for _ in 1..<8 {
                try await store.edit(message.id, with: Self.friend, by: .incoming, to: long)
            }
            for _ in 8..<(count - 8) {
                _ = try await store.add(NewMessage(text: long), from: Self.friend)
            }
            let half = [UInt8](repeating: 1, count: 8 * StoreLimits.textByteCount)
            let file = NewMessage.File(name: "a", content: half)
            _ = try await store.add(NewMessage(text: "", file: file), from: Self.friend)
            let more = try Self.message(.text("a"))
            #expect(try await store.keep(more, from: Self.key) == .refused)
            let edit = try Self.message(.edit(message.id, text: "a"))
            #expect(try await store.keep(edit, from: Self.key) == .refused)
            #expect(try await store.messages(with: Self.friend).messages.count == count - 14)
        }
    }

    @Test func `forgets strangers who have said nothing`() async throws {
        try await withStore { store in
            _ = try await store.history(of: Self.key, named: "S")
            #expect(try await store.removeStranger(Self.friend))
            #expect(try await store.removeStranger(Self.friend) == false)
            _ = try await store.history(of: Self.key, named: "S")
            try await store.chatDidNotBegin(with: Self.key)
            #expect(try await store.friend(Self.friend) == nil)
            _ = try await store.history(of: Self.key, named: "S")
            _ = try await store.keep(try Self.message(.text("Hi")), from: Self.key)
            #expect(try await store.removeStranger(Self.friend) == false)
            #expect(try await store.friend(Self.friend)?.state == .requestReceived)
        }
    }
}

extension ChatStore {
    fileprivate func addTexts(_ texts: [String], to friend: FriendID) throws -> [MessageID] {
        try texts.map { try add(NewMessage(text: $0), to: friend).message.id }
    }
}
