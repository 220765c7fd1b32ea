import BLEDBus
import Foundation
import Testing

/// The full-screen `bluechat`, as two people see it.
@Suite("bluechat on the whole screen", .timeLimit(.oneCheck))
struct ChatScreenToolTests {
    private static func window(
        _ name: String,
        _ adapter: String,
        columns: Int = 90,
        rows: Int = 20,
        in folder: String,
        _ world: any World
    ) async throws -> TerminalWindow {
        try await TerminalWindow(
            ["bluechat", "--adapter", adapter, "--name", name, "--store", "\(folder)/\(name)"],
            columns: columns,
            rows: rows,
            bus: world.bus.rawValue
        )
    }

    @Test func `carries texts, a long one and a file, and what waits`() async throws {
        try await check { world in
            let folder = "\(NSTemporaryDirectory())/chat-\(UUID().uuidString)"
            defer { _ = Result { try FileManager.default.removeItem(atPath: folder) } }
            let alice = try await Self.window("Alice", "hci0", in: folder, world)
            var bob = try await Self.window("Bob", "hci1", columns: 50, rows: 16, in: folder, world)
            // Both see each other, and Alice opens the chat.
            try await alice.wait(for: "●  Bob")
            try await bob.wait(for: "●  Alice")
            try await alice.type("")
            try await alice.wait(for: "Bob>")
            try await alice.type("Hi Bob 👋 日本語")
            try await alice.wait(for: "delivered")
            try await bob.wait(for: "(1)")
            try await bob.type("")
            try await bob.wait(for: "Hi Bob 👋 日本語")
            try await alice.wait(for: "read ▐")
            try await bob.type("Hello Alice, see https://example.org")
            print(try await alice.wait(for: "https://example.org"))
            print(try await bob.picture)

            let long = (1...300).map { "word\($0)" }.joined(separator: " ")
            try await bob.paste(long)
            try await bob.type("")
            try await alice.wait(for: "word300")
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true
            )
            try Data("a file".utf8).write(to: URL(fileURLWithPath: "\(folder)/note.txt"))
            try await alice.type("/file \(folder)/note.txt")
            try await bob.wait(for: "has sent 'note.txt'")
            let received = try String(
                contentsOfFile: "\(folder)/Bob/files/note.txt",
                encoding: .utf8
            )
            #expect(received == "a file")

            // Bob's program is killed; what Alice says waits until he is back.
            try await bob.kill()
            try await bob.wait(for: "ended with 137")
            try await bob.close()
            try await alice.wait(for: "away")
            try await alice.type("Are you there?")
            print(try await alice.wait(for: "waiting ▐"))
            bob = try await Self.window("Bob", "hci1", columns: 50, rows: 16, in: folder, world)
            try await bob.wait(for: "(1)")
            try await alice.wait(for: "delivered ▐")
            try await bob.type("")
            try await bob.wait(for: "Are you there?")
            // All that was said before is there.
            print(try await bob.wait(for: "note.txt"))
            try await bob.type("", "C-c")
            try await bob.wait(for: "ended with 0")
            try await alice.type("", "C-c")
            try await alice.wait(for: "ended with 0")
            try await alice.close()
            try await bob.close()
        }
    }

    @Test(arguments: [true, false])
    func `is left from either side, and goes on`(callerLeaves: Bool) async throws {
        try await check { world in
            let folder = "\(NSTemporaryDirectory())/chat-\(UUID().uuidString)"
            defer { _ = Result { try FileManager.default.removeItem(atPath: folder) } }
            let alice = try await Self.window("Alice", "hci0", in: folder, world)
            let bob = try await Self.window("Bob", "hci1", in: folder, world)
            try await alice.wait(for: "●  Bob")
            try await alice.type("")
            try await alice.type("one")
            try await alice.wait(for: "delivered")
            try await bob.wait(for: "(1)")
            try await bob.type("")
            try await bob.type("two")
            try await alice.wait(for: "▌ two")
            try await (callerLeaves ? alice : bob).type("/leave")
            try await alice.wait(for: "●")
            try await bob.wait(for: "●")
            try await bob.type("three")
            try await alice.wait(for: "▌ three")
            try await bob.resize(columns: 24, rows: 8)
            print(try await bob.wait(for: "three"))
            try await bob.type("", "C-c")
            try await bob.wait(for: "ended with 0")
            try await alice.close()
            try await bob.close()
        }
    }
}
