import BLESQLite
import Testing

@testable import BlueChatStore

@Suite("Limits of a store", .timeLimit(.minutes(10)))
struct LimitTests {
    private static func text(_ count: Int) -> String { String(repeating: "a", count: count) }

    @Test func `are those of texts, names and files`() async throws {
        try await withStore { store in
            try await store.addFriends()
            let longest = NewMessage(text: Self.text(65_536))
            _ = try await store.add(longest, from: bob)
            try await store.edit(longest.id, with: bob, by: .incoming, to: Self.text(65_536))
            #expect(try await store.message(longest.id, with: bob)?.text.utf8.count == 65_536)
            try await store.rename(bob, to: Self.text(255))
            let file = { (name: Int, size: Int) in
                let content = [UInt8](repeating: 0, count: size)
                return NewMessage(text: "", file: .init(name: Self.text(name), content: content))
            }
            _ = try await store.add(file(255, 1_048_576), to: bob)
            let calls: [nonisolated(nonsending) () async throws -> Void] = [
                { _ = try await store.add(NewMessage(text: Self.text(65_537)), from: bob) },
                { _ = try await store.add(NewMessage(text: Self.text(65_537)), to: bob) },
                {
                    try await store.edit(
                        longest.id,
                        with: bob,
                        by: .incoming,
                        to: Self.text(65_537)
                    )
                },
                { _ = try await store.add(file(256, 0), to: bob) },
                { _ = try await store.add(file(1, 1_048_577), to: bob) },
                { try await store.rename(bob, to: Self.text(256)) },
                { try await store.setToldName(Self.text(256), of: bob) },
                {
                    try await store.addFriend(
                        .address("d"),
                        toldName: Self.text(256),
                        state: .blocked
                    )
                },
                {
                    try await store.addFriend(
                        .address(Self.text(256)),
                        toldName: "",
                        state: .blocked
                    )
                },
                { try await store.changeKey(of: bob, to: .address(Self.text(256))) },
                {
                    let identity = [UInt8](repeating: 0, count: 32)
                    try await store.setProfile(
                        OwnProfile(name: Self.text(256), identity: identity)
                    )
                },
            ]
            for (number, call) in calls.enumerated() {
                let code = try await refusal(call)
                #expect(code == .tooLong, "call \(number)")
            }
            let code = try await refusal {
                try await store.addFriend(.address(""), toldName: "", state: .confirmed)
            }
            #expect(code == .invalid)
            #expect(try await store.messages(with: bob).messages.count == 2)
        }
    }

    @Test func `are 10,000 friends, and 10,000 messages that wait for one`() async throws {
        let folder = TemporaryFolder()
        var store = try await ChatStore.open(at: folder.store)
        try await store.addFriends()
        await store.close()
        let database = try Database(path: folder.store)
        try database.run(
            """
            WITH RECURSIVE n (i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
            INSERT INTO friend (address, told_name, state, added) SELECT 'f' || i, '', 2, 0 FROM n
            """
        )
        try database.run(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
            INSERT INTO message (friend, id, is_outgoing, text, sent, state, is_unread)
            SELECT 1, randomblob(16), 1, '', 0, 0, 0 FROM n
            """
        )
        database.close()
        store = try await ChatStore.open(at: folder.store)
        #expect(try await store.friends().count == 10_000)
        let more = FriendID.address("one more")
        var code = try await refusal {
            try await store.addFriend(more, toldName: "", state: .confirmed)
        }
        #expect(code == .limitReached)
        code = try await refusal { try await store.changeKey(of: bob, to: more) }
        #expect(code == .limitReached)
        code = try await refusal { _ = try await store.add(NewMessage(text: ""), to: bob) }
        #expect(code == .limitReached)
        #expect(try await store.waitingMessages(for: bob, count: .max).count == 500)
        _ = try await store.add(NewMessage(text: ""), from: bob)
        _ = try await store.add(NewMessage(text: ""), to: carol)
        await store.close()
    }

    @Test func `are 1,000 messages that are read at once`() async throws {
        let folder = TemporaryFolder()
        var store = try await ChatStore.open(at: folder.store)
        try await store.addFriends()
        await store.close()
        let database = try Database(path: folder.store)
        try database.run(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
            INSERT INTO message (friend, id, is_outgoing, text, sent, received, is_unread)
            SELECT 1, randomblob(16), 0, '', 0, 0, 1 FROM n
            """
        )
        database.close()
        store = try await ChatStore.open(at: folder.store)
        #expect(try await store.markRead(with: bob).count == 1000)
        #expect(try await store.unreadCount(of: bob) == 500)
        #expect(try await store.markRead(with: bob).count == 500)
        await store.close()
    }
}
