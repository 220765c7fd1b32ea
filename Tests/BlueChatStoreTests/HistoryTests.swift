import BLEStorage
import BLETesting
import BlueChat
import Testing

@testable import BlueChatStore

@Suite("History", .timeLimit(.minutes(10)))
struct HistoryTests {
    private static func texts(_ page: MessagePage) -> [String] { page.messages.map(\.text) }

    @Test func `is read in pages, backwards and forwards`() async throws {
        try await withStore { store in
            try await store.addFriends()
            var ids: [MessageID] = []
            for number in 0..<10 {
                let message = NewMessage(text: "\(number)")
                ids.append(message.id)
                _ =
                    number % 3 == 0
                    ? try await store.add(message, to: bob)
                    : try await store.add(message, from: bob)
                _ = try await store.add(NewMessage(text: "another's"), from: carol)
            }
            let last = try await store.messages(with: bob, count: 4)
            #expect(Self.texts(last) == ["6", "7", "8", "9"])
            #expect(last.hasMore)
            let before = try await store.messages(with: bob, before: ids[6], count: 6)
            #expect(Self.texts(before) == ["0", "1", "2", "3", "4", "5"])
            #expect(!before.hasMore)
            let after = try await store.messages(with: bob, after: ids[6], count: 2)
            #expect(Self.texts(after) == ["7", "8"])
            #expect(after.hasMore)
            let first = try await store.messages(with: bob, after: nil, count: 2)
            #expect(Self.texts(first) == ["0", "1"])
            let none = try await store.messages(with: bob, after: ids[9])
            #expect(none == MessagePage(messages: [], hasMore: false))
            #expect(try await store.messages(with: bob, count: 0).messages.isEmpty)
            #expect(try await store.messages(with: bob, count: -1).messages.isEmpty)
        }
    }

    @Test func `is in the order of arrival, whatever the clocks say`() async throws {
        try await withStore { store in
            try await store.addFriends()
            var generator = SeededGenerator(seed: 1)
            for number in 0..<20 {
                let time = WallTime(millisecondsSince1970: .random(in: 0...100, using: &generator))
                let message = NewMessage(text: "\(number)", sent: time)
                _ = try await store.add(message, from: bob, at: time)
            }
            let texts = try await store.messages(with: bob).messages.map(\.text)
            #expect(texts == (0..<20).map { "\($0)" })
        }
    }

    @Test func `knows no page of a message that is not there`() async throws {
        try await withStore { store in
            try await store.addFriends()
            let id = try await store.add(NewMessage(text: ""), from: carol).message.id
            let code = try await refusal { _ = try await store.messages(with: bob, before: id) }
            #expect(code == .noSuchMessage)
        }
    }

    @Test func `is removed without the friend`() async throws {
        try await withStore { store in
            try await store.addFriends()
            _ = try await store.receive("a", "b")
            _ = try await store.add(NewMessage(text: "c"), from: carol)
            try await store.removeHistory(with: bob)
            #expect(try await store.messages(with: bob).messages.isEmpty)
            #expect(try await store.messages(with: carol).messages.count == 1)
            #expect(try await store.friends().count == 2)
            #expect(try await store.unreadCounts() == [carol: 1])
        }
    }
}
