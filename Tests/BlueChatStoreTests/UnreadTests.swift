import Testing

@testable import BlueChatStore

@Suite("Unread messages", .timeLimit(.minutes(10)))
struct UnreadTests {
    @Test func `are counted, and marked as read`() async throws {
        try await withStore { store in
            try await store.addFriends()
            #expect(try await store.unreadCounts() == [:])
            let ids = try await store.receive("1", "2", "3")
            _ = try await store.add(NewMessage(text: "mine"), to: bob)
            _ = try await store.add(NewMessage(text: "hers"), from: carol)
            #expect(try await store.unreadCounts() == [bob: 3, carol: 1])
            #expect(try await store.markRead(with: bob, through: ids[1]) == Array(ids[0...1]))
            #expect(try await store.markRead(with: bob, through: ids[1]) == [])
            #expect(try await store.unreadCount(of: bob) == 1)
            #expect(try await store.markRead(with: bob) == [ids[2]])
            #expect(try await store.unreadCounts() == [carol: 1])
            let code = try await refusal { try await store.markRead(with: carol, through: ids[0]) }
            #expect(code == .noSuchMessage)
        }
    }

    @Test func `make conversations, the newest first`() async throws {
        try await withStore { store in
            try await store.addFriends()
            try await store.addFriend(.address("Dave"), toldName: "Dave", state: .requested)
            _ = try await store.add(NewMessage(text: "hers"), from: carol)
            _ = try await store.receive("1", "2")
            let conversations = try await store.conversations()
            #expect(conversations.map(\.friend.toldName) == ["Bob", "Carol", "Dave"])
            #expect(conversations.map { $0.last?.text } == ["2", "hers", nil])
            #expect(conversations.map(\.unreadCount) == [2, 1, 0])
            _ = try await store.add(NewMessage(text: "mine"), to: carol)
            #expect(try await store.conversations().first?.friend.id == carol)
        }
    }
}
