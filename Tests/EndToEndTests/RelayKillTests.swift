import BLEDBus
import Foundation
import Testing

/// `dim-relay` that dies without a word, as a machine does whose plug is pulled.
@Suite("dim-relay that is killed", .timeLimit(.oneCheck))
struct RelayKillTests {
    /// Whoever is told that a message has come can rely on it, and nobody reads it twice.
    @Test(arguments: [1, 3, 5])
    func `has what it has acknowledged, once`(count: Int) async throws {
        try await check("receives, \(count)") { world in
            let users = try await RelayUser.contacts(["alice", "bobby"], in: world)
            let (alice, bob) = (users[0], users[1])
            let sender = try await alice.start("--verbose")
            var receiver = try await bob.start()
            let texts = (1...6).map { "\(count), \($0)" }
            let words = ["send", "bobby"] + texts + ["--wait", "120", "--json", "--store"]
            let sending = try Tool("dim-relay", words + [alice.folder.path], bus: alice.bus)
            try await receiver.line(with: "\"\(texts[count - 1])\"")
            receiver.send(SIGKILL)
            await receiver.end()
            receiver = try await bob.start("--verbose")
            let sent = await sending.end()
            let nodes = [await sender.interrupt(), await receiver.interrupt()]
            #expect(sent.status == 0, "\(sent), \(nodes)")
            #expect(sent.eventNames.filter { $0 == "delivered" }.count == texts.count)
            #expect(try await bob.texts(with: "alice").sorted() == texts)
        }
    }

    /// `RELAY_STORE_KILLS` says how many.
    private static let killCount =
        ProcessInfo.processInfo.environment["RELAY_STORE_KILLS"].flatMap { Int($0) } ?? 8

    /// Somewhere while it keeps one message after the other.
    @Test func `has all that it has confirmed, in order, whenever it is killed`() async throws {
        try await check(virtualOnlyBecause: "it is about the disk") { world in
            let alice = try await RelayUser.contacts(["alice", "bobby"], in: world)[0]
            let count = Self.killCount
            for kill in 0..<count {
                let node = try await alice.start()
                let texts = (1...40).map { "\(kill), \($0)" }
                let words = ["send", "bobby"] + texts + ["--wait", "0", "--json", "--store"]
                let sending = try Tool("dim-relay", words + [alice.folder.path], bus: alice.bus)
                try await sending.line(with: "\"sent\"")
                // Another moment each time within what it does meanwhile; nothing is waited for.
                for turn in 0..<(2_000_000 / count * kill) { withExtendedLifetime(turn) {} }
                node.send(SIGKILL)
                await node.end()
                let sent = await sending.end()
                let confirmedCount = sent.eventNames.count { $0 == "sent" }
                let shown = try await alice.run("messages", "bobby", "--count", "500")
                #expect(shown.status == 0, "\(shown)")
                let kept = shown.events.compactMap { $0["text"] as? String }
                #expect(kept == Array(texts.prefix(kept.count)), "\(shown)")
                // Or one more, which it was at.
                let possible = confirmedCount...min(confirmedCount + 1, texts.count)
                #expect(possible.contains(kept.count), "\(sent), \(shown)")
                #expect(try await alice.run("clear", "bobby").status == 0)
            }
        }
    }

    /// What is said to be sent waits on the disk.
    @Test func `sends what waited when it runs again`() async throws {
        try await check { world in
            let users = try await RelayUser.contacts(["alice", "bobby"], in: world)
            let (alice, bob) = (users[0], users[1])
            let sender = try await alice.start()
            let texts = ["one", "two", "three"]
            for text in texts {
                try await alice.send(text, to: "bobby", "--wait", "0").requireSuccess()
            }
            sender.send(SIGKILL)
            await sender.end()
            #expect(try await alice.texts(with: "bobby") == texts)
            let receiver = try await bob.start()
            let again = try await alice.start()
            for text in texts { try await receiver.line(with: "\"\(text)\"") }
            #expect(try await bob.texts(with: "alice").sorted() == texts.sorted())
            for node in [again, receiver] { await node.interrupt() }
        }
    }
}
