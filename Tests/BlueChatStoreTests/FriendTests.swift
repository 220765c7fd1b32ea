import BLEStorage
import BlueChat
import Testing

@testable import BlueChatStore

@Suite("Friends", .timeLimit(.minutes(10)))
struct FriendTests {
    private let time = WallTime(millisecondsSince1970: 1_000)

    @Test(arguments: [bob, carol])
    func `are kept by a key or an address`(id: FriendID) async throws {
        try await withStore { store in
            #expect(try await store.friend(id) == nil)
            try await store.addFriend(id, toldName: "B", state: .requested, at: time)
            let expected = Friend(id: id, toldName: "B", state: .requested, added: time)
            #expect(try await store.friend(id) == expected)
            #expect(try await store.friends() == [expected])
            let code = try await refusal {
                try await store.addFriend(id, toldName: "C", state: .confirmed)
            }
            #expect(code == .friendExists)
            #expect(try await store.friends() == [expected])
        }
    }

    @Test(arguments: Friend.State.allCases)
    func `are in a state`(state: Friend.State) async throws {
        try await withStore { store in
            try await store.addFriends()
            try await store.setState(state, of: bob)
            #expect(try await store.friend(bob)?.state == state)
            #expect(try await store.friend(carol)?.state == .confirmed)
        }
    }

    @Test func `have a name of their own, and one of the user's`() async throws {
        try await withStore { store in
            try await store.addFriends()
            try await store.setToldName("Robert", of: bob)
            #expect(try await store.friend(bob)?.name == "Robert")
            try await store.rename(bob, to: "Bobby")
            #expect(try await store.friend(bob)?.name == "Bobby")
            #expect(try await store.friend(bob)?.toldName == "Robert")
            try await store.rename(bob, to: nil)
            #expect(try await store.friend(bob)?.name == "Robert")
        }
    }

    @Test(arguments: ["", " ", "\t\n"])
    func `have no name of the user's that is empty`(name: String) async throws {
        try await withStore { store in
            try await store.addFriends()
            try await store.rename(bob, to: "Bobby")
            #expect(try await refusal { try await store.rename(bob, to: name) } == .invalid)
            #expect(try await store.friend(bob)?.name == "Bobby")
        }
    }

    @Test func `are verified or not`() async throws {
        try await withStore { store in
            try await store.addFriends()
            try await store.setVerified(true, of: carol)
            #expect(try await store.friend(carol)?.isVerified == true)
            try await store.setVerified(false, of: carol)
            #expect(try await store.friend(carol)?.isVerified == false)
        }
    }

    @Test func `with another key stand beside who they were, unverified`() async throws {
        try await withStore { store in
            try await store.addFriends()
            try await store.rename(carol, to: "Caro")
            try await store.setVerified(true, of: carol)
            _ = try await store.add(NewMessage(text: "old"), from: carol)
            let new = FriendID.key(try #require(ChatKey([UInt8](repeating: 8, count: 32))))
            let changes = await store.changes
            try await store.changeKey(of: carol, to: new, at: time)
            var events = changes.makeAsyncIterator()
            #expect(await events.next() == .keyChanged(from: carol, to: new))
            let friend = try #require(try await store.friend(new))
            #expect(friend.name == "Caro")
            #expect(friend.state == .requestReceived)
            #expect(!friend.isVerified)
            #expect(friend.predecessor == carol)
            #expect(try await store.messages(with: new).messages.isEmpty)
            #expect(try await store.messages(with: carol).messages.map(\.text) == ["old"])
            #expect(try await store.friend(carol)?.isVerified == true)
            let code = try await refusal { try await store.changeKey(of: bob, to: new) }
            #expect(code == .friendExists)
            try await store.removeFriend(carol)
            #expect(try await store.friend(new)?.predecessor == nil)
        }
    }

    @Test func `who are blocked stay so with another key`() async throws {
        try await withStore { store in
            try await store.addFriends()
            try await store.setState(.blocked, of: bob)
            try await store.changeKey(of: bob, to: .address("Bob 2"))
            #expect(try await store.friend(.address("Bob 2"))?.state == .blocked)
        }
    }

    @Test func `who are removed take their messages along`() async throws {
        try await withStore { store in
            try await store.addFriends()
            _ = try await store.receive("hidden words")
            try await store.removeFriend(bob)
            #expect(try await store.friends().map(\.id) == [carol])
            #expect(try await store.search("hidden").messages.isEmpty)
            try await store.addFriend(bob, toldName: "Bob", state: .confirmed)
            #expect(try await store.messages(with: bob).messages.isEmpty)
            try await store.verify()
        }
    }

    @Test func `who are none are not found by any call`() async throws {
        try await withStore { store in
            let id = MessageID()
            let calls: [nonisolated(nonsending) () async throws -> Void] = [
                { try await store.setState(.blocked, of: bob) },
                { try await store.setVerified(true, of: bob) },
                { try await store.setToldName("B", of: bob) },
                { try await store.rename(bob, to: "B") },
                { try await store.removeFriend(bob) },
                { try await store.removeHistory(with: bob) },
                { try await store.changeKey(of: bob, to: carol) },
                { _ = try await store.add(NewMessage(text: ""), to: bob) },
                { _ = try await store.add(NewMessage(text: ""), from: bob) },
                { _ = try await store.waitingMessages(for: bob) },
                { try await store.setState(.sent, of: id, to: bob) },
                { try await store.resend(id, to: bob) },
                { try await store.requeue(to: bob) },
                { try await store.edit(id, with: bob, by: .incoming, to: "") },
                { try await store.delete(id, with: bob, by: .incoming) },
                { _ = try await store.earlierTexts(of: id, with: bob) },
                { _ = try await store.messages(with: bob) },
                { _ = try await store.message(id, with: bob) },
                { _ = try await store.file(of: id, with: bob) },
                { _ = try await store.unreadCount(of: bob) },
                { try await store.markRead(with: bob) },
                { _ = try await store.search("word", with: bob) },
            ]
            for (number, call) in calls.enumerated() {
                let code = try await refusal(call)
                #expect(code == .noSuchFriend, "call \(number)")
            }
        }
    }
}
