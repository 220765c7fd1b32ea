import BLETesting
import Testing

@testable import BlueChatStore

@Suite("Search", .timeLimit(.minutes(10)))
struct SearchTests {
    private static let texts = [
        "Will it rain tomorrow?", "RAINBOW over the Café", "it's a train", "明日は雨です 👋",
        "a \"quoted\" word", "AND OR NOT NEAR", "x* (y) z:1 -w", "Straße", "พรุ่งนี้ฝนตก",
    ]

    @Test(arguments: [
        ("rain", [0, 1]), ("RAIN tom", [0]), ("cafe", [1]), ("café", [1]), ("ain", []),
        ("it's", [2]), ("雨", [3]), ("👋", [3]), ("\"quoted\"", [4]), ("quoted", [4]),
        ("AND", [5]), ("OR NOT", [5]), ("NEAR", [5]), ("x*", [6]), ("z:1", [6]), ("-w", [0, 4, 6]),
        ("(y)", [6]), ("Straße", [7]), ("ฝน", [8]), ("rain 👋", []), ("明日 👋", [3]),
        ("", []), ("  \n", []), ("\"", [4]), ("*", [6]), ("text:rain", []), ("\0", []),
    ])
    func `finds words, their beginnings and signs`(query: String, expected: [Int]) async throws {
        try await withStore { store in
            try await store.addFriends()
            for text in Self.texts { _ = try await store.receive(text) }
            let found = try await store.search(query).messages.map(\.text)
            #expect(found == expected.map { Self.texts[$0] })
        }
    }

    /// It is one character with an accent, a joiner or a sign before it.
    @Test(arguments: ["a\"\u{301}b", "a\"\u{200D}b", "a\u{600}\"b", "\"\u{301}\"a"])
    func `finds a quotation mark that is part of another character`(text: String) async throws {
        try await withStore { store in
            try await store.addFriends()
            let id = try await store.receive("say \(text) now")[0]
            #expect(try await store.search(text).messages.map(\.id) == [id])
        }
    }

    @Test func `takes any input`() async throws {
        try await withStore { store in
            try await store.addFriends()
            _ = try await store.receive("Hi")
            var generator = SeededGenerator(seed: 9)
            let signs = Array("\"'*^:+-(){}[]<>,.;%_\\ \0ab1ANDORNEAR雨👋é\u{301}\u{1E900}\u{378}")
            for _ in 0..<2000 {
                let count = Int.random(in: 0..<12, using: &generator)
                let text = String(
                    (0..<count).map { _ in signs.randomElement(using: &generator) ?? " " }
                )
                _ = try await store.search(text)
                let scalar = Unicode.Scalar(UInt32.random(in: 0...0x10_FFFF, using: &generator))
                guard let scalar else { continue }
                _ = try await store.search("\(scalar)")
            }
            _ = try await store.search(String(repeating: "a ", count: 100_000))
            _ = try await store.search(String(repeating: "\"", count: 100_000))
        }
    }

    @Test func `is limited, and goes on with older messages`() async throws {
        try await withStore { store in
            try await store.addFriends()
            for number in 0..<10 { _ = try await store.receive("word \(number)") }
            _ = try await store.add(NewMessage(text: "word of Carol's"), from: carol)
            let newest = try await store.search("word", with: bob, count: 4)
            #expect(newest.messages.map(\.text) == (6..<10).map { "word \($0)" })
            #expect(newest.hasMore)
            let older = try await store.search(
                "word",
                with: bob,
                before: newest.messages.first,
                count: 6
            )
            #expect(older.messages.map(\.text) == (0..<6).map { "word \($0)" })
            #expect(!older.hasMore)
            #expect(try await store.search("word").messages.count == 11)
        }
    }
}
