import BLESQLite
import Foundation
import Testing

@testable import BlueChatStore

@Suite("A store of 100,000 messages", .timeLimit(.minutes(10)))
struct SizeTests {
    /// Measures, and asserts no times: they are printed.
    @Test func `is opened and read`() async throws {
        let folder = TemporaryFolder()
        var store = try await ChatStore.open(at: folder.store)
        try await store.addFriends()
        await store.close()
        try Self.fill(folder.store)

        let clock = ContinuousClock()
        var times: [String] = []
        func measure<Output>(
            _ what: String,
            _ body: nonisolated(nonsending) () async throws -> Output
        ) async throws -> Output {
            let start = clock.now
            let output = try await body()
            times.append("\(what) \(Self.milliseconds(start.duration(to: clock.now))) ms")
            return output
        }
        store = try await measure("opening") { try await ChatStore.open(at: folder.store) }
        let open = store
        let last = try await measure("last 50") { try await open.messages(with: bob) }
        #expect(last.messages.count == 50)
        let conversations = try await measure("conversations") { try await open.conversations() }
        #expect(conversations.map(\.unreadCount).reduce(0, +) == 1000)
        let found = try await measure("search of a rare word") {
            try await open.search("word77777")
        }
        #expect(found.messages.count == 1)
        let many = try await measure("search of a word of all") { try await open.search("message") }
        #expect(many.messages.count == 50)
        let none = try await measure("search of an emoji of none") { try await open.search("👋") }
        #expect(none.messages.isEmpty)
        _ = try await measure("100 messages added, each on the disk") {
            for number in 0..<100 {
                _ = try await open.add(NewMessage(text: "\(number)"), from: bob)
            }
        }
        // What a kill would leave: the file, and a log.
        let killed = TemporaryFolder()
        for (name, bytes) in try folder.contents() {
            try bytes.write(to: URL(fileURLWithPath: "\(killed.path)/\(name)"))
        }
        let next = try await measure("opening after a kill") {
            try await ChatStore.open(at: killed.store)
        }
        let kept = try await next.messages(with: bob, count: 100).messages.map(\.text)
        #expect(kept == (0..<100).map { "\($0)" })
        await next.close()
        try await measure("verification") { try await open.verify() }
        var count = 0
        try await measure("export") { for try await _ in open.export() { count += 1 } }
        #expect(count == 100_102)
        await open.close()
        print("100,000 messages: " + times.joined(separator: ", "))
    }

    /// 50,000 with each friend, a thousand of which are unread.
    private static func fill(_ path: String) throws {
        let database = try Database(path: path)
        try database.run("PRAGMA synchronous = OFF")
        try database.run(
            """
            WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)
            INSERT INTO message (friend, id, is_outgoing, text, sent, received, state, is_unread)
            SELECT 1 + i / 2 % 2, randomblob(16), i % 2,
                'This is message number ' || i || ', and word' || i || ' is in no other one.',
                i, iif(i % 2, NULL, i), iif(i % 2, 4, NULL), i % 100 = 0 FROM n
            """
        )
        try database.setTidiesOnClose(true)
        database.close()
    }

    private static func milliseconds(_ duration: Duration) -> Double {
        (duration / .milliseconds(1) * 10).rounded() / 10
    }
}
