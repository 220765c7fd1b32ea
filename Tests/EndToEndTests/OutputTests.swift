import BLEDBus
import Foundation
import Testing

/// What cannot be written on standard output is not taken for all that there is.
@Suite("Standard output", .timeLimit(.oneCheck))
struct OutputTests {
    /// Commands that need no radio.
    private static let commands = [
        ["relay-sim", "--nodes", "8", "--seconds", "120"],
        ["relay-sim", "--nodes", "8", "--seconds", "120", "--json"],
        ["dim-relay", "link", "--name", "alice", "--qr"],
        ["dim-relay", "link", "--name", "alice", "--json"],
    ]

    /// A tool whose files the shell redirects; the shell says on its own standard error how it ended.
    private func shell(
        _ command: [String],
        _ redirection: String,
        bus: String? = nil
    ) throws -> Tool {
        let program = Tool.folder.appendingPathComponent(command[0]).path
        return try Tool(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", "{ \"$0\" \"$@\"; echo status $? >&3; } 3>&2 \(redirection)", program]
                + command.dropFirst(),
            bus: bus
        )
    }

    @Test(arguments: commands, ["> /dev/full", ">&-"])
    func `is an error when it cannot be written`(
        command: [String],
        redirection: String
    ) async throws {
        let tool = try shell(command, redirection)
        let outcome = await tool.end()
        #expect(outcome.errors.contains("standard output"), "\(command): \(outcome)")
        #expect(outcome.errors.contains("status 73"), "\(command): \(outcome)")
    }

    @Test(arguments: commands, ["2> /dev/full", "2>&-"])
    func `is all that counts`(command: [String], redirection: String) async throws {
        let tool = try shell(command, "\(redirection) 3>&1")
        let outcome = await tool.end()
        #expect(outcome.output.contains("status 0"), "\(command): \(outcome)")
    }

    /// As `head -1` does, while a tool goes on for ever.
    @Test func `ends a tool when nobody reads it any more`() async throws {
        try await check { world in
            let reader = "| { read line; exec <&-; echo closed; }"
            let ball = try shell(
                ["eightball-answer", "--adapter", "hci1", "--json"],
                reader,
                bus: world.bus.rawValue
            )
            try await ball.line(with: "closed")
            // It has something to print now.
            _ = try await world.asker("--json", "Is anybody there?").end()
            let outcome = await ball.end()
            #expect(outcome.errors.contains("standard output"), "\(outcome)")
            #expect(outcome.errors.contains("status 73"), "\(outcome)")
        }
    }
}
