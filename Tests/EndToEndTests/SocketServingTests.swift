import BLEDBus
import Foundation
import Testing

/// One `ble-socket listen` for several `ble-socket connect`.
@Suite("ble-socket, several at once", .timeLimit(.oneCheck))
struct SocketServingTests {
    /// A client that says a word, then waits to be told to go on, and says another.
    private struct Client {
        let tool: Tool
        private let gate: String

        init(_ name: String, on adapter: Int, of files: Files, in world: any World) throws {
            gate = files.path(of: name)
            guard mkfifo(gate, 0o600) == 0 else { throw POSIXError(.EIO) }
            let words = "(echo \(name); read go < '\(gate)'; echo bye \(name))"
            tool = try Tool(
                URL(fileURLWithPath: "/bin/sh"),
                [
                    "-c", "\(words) | exec \"$0\" connect --adapter hci\(adapter)",
                    Tool.folder.appendingPathComponent("ble-socket").path,
                ],
                bus: world.bus.rawValue
            )
        }

        func goOn() async throws -> Tool.Outcome {
            let opening = try Tool(
                URL(fileURLWithPath: "/bin/sh"),
                ["-c", "echo > \"$0\"", gate],
                bus: nil
            )
            await opening.end()
            return await tool.end()
        }
    }

    @Test(arguments: [["--connections", "2"], ["--keep-listening"]])
    func `ends when the bus has ended`(options: [String]) async throws {
        try await check(
            "ends when the bus has ended \(options)",
            virtualOnlyBecause: "all of the guest is on its bus"
        ) { world in
            let listener = try Tool(
                "ble-socket",
                ["listen", "--adapter", "hci1", "--json", "--exec", "cat"] + options,
                bus: world.bus.rawValue
            )
            try await listener.line(with: "advertising")
            try #require(world as? VirtualWorld).endBus()
            let outcome = await listener.end()
            #expect(outcome.status == 69, "\(outcome)")
        }
    }

    @Test func `serves each with its own command, and tells who is too many`() async throws {
        try await check(adapters: 3) { world in
            let files = try Files(byteCount: 1)
            defer { files.remove() }
            let listener = try world.tool(
                "ble-socket",
                "listen",
                "--adapter",
                "hci2",
                "--json",
                "--connections",
                "2",
                "--exec",
                "while read line; do echo got $line; done"
            )
            try await listener.line(with: "advertising")
            let first = try Client("first", on: 0, of: files, in: world)
            try await first.tool.line(with: "got first")
            let second = try Client("second", on: 1, of: files, in: world)
            try await second.tool.line(with: "got second")

            let refused = await (try world.tool("ble-socket", "connect", "--adapter", "hci1"))
                .end()
            #expect(refused.status == 75, "\(refused)")
            #expect(refused.errors.contains("as many connections as it takes"), "\(refused)")

            try await world.endLink(from: 0, to: 2)
            let ended = try await first.goOn()
            #expect(ended.status == 0, "\(ended)")
            #expect(ended.lines == ["got first", "got bye first"])

            // Two programs of one machine, which is one central.
            let third = try Client("third", on: 1, of: files, in: world)
            try await third.tool.line(with: "got third")
            for (client, name) in [(third, "third"), (second, "second")] {
                let ended = try await client.goOn()
                #expect(ended.status == 0, "\(ended)")
                #expect(ended.lines == ["got \(name)", "got bye \(name)"])
            }
            for number in 1...3 {
                let closed = try await listener.line(
                    with: #"{"event":"closed","why":"done","connection":\#(number)}"#
                )
                #expect(!closed.isEmpty)
            }
            let listened = await listener.interrupt()
            #expect(listened.status == 130, "\(listened)")
        }
    }

    @Test(arguments: [
        (["--exec", "cat", "--connections", "0"], "--connections is a number from 1 to 1000"),
        (["--connections", "2"], "each has its own command"),
        (["--exec", "cat", "--connections", "2", "--transport", "raw"], "has one alone"),
        (["--exec", "cat", "--connections", "2", "--keep-listening"], "until it is interrupted"),
    ])
    func `tells what does not go with several`(arguments: [String], message: String) async throws {
        let outcome = try await Tool("ble-socket", ["listen"] + arguments, bus: nil).end()
        #expect(outcome.status == 64, "\(outcome)")
        #expect(outcome.errors.contains(message), "\(outcome)")
    }
}
