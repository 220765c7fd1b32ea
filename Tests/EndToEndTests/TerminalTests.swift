import Foundation
import Testing

/// What a person at a terminal sees of the commands.
@Suite(
    "A terminal",
    .enabled(if: WorldKind.current == .virtual, "what is tested happens in the command"),
    .timeLimit(.minutes(10))
)
struct BLETerminalTests {
    @Test func `gets each step on one row, however narrow it is`() async throws {
        let bus = try await BallBus(adapters: 1)
        // script(1) runs it on a terminal of its own.
        let terminal = try Tool(
            URL(fileURLWithPath: "/usr/bin/script"),
            ["-qec", "eightball-ask --adapter hci0 --scan-for 100ms 'Will it rain?'", "/dev/null"],
            bus: bus.address
        )
        let outcome = await terminal.end()
        #expect(outcome.status == 68)
        let withoutWrap = "\u{1B}[?7llooking for a ball with hci0\u{1B}[?7h"
        #expect(outcome.output.contains("\r\u{1B}[K\(withoutWrap)\r\u{1B}[K"))
    }

    @Test(arguments: [
        (["--wrong"], "Unknown option '--wrong'"), ([], "no question"),
        (["--list", "Who?"], "--list asks nothing"), (["--rssi", "-90", "Who?"], "write -90..-40"),
    ])
    func `is told what is wrong with a command line`(arguments: [String], words: String)
        async throws
    {
        let outcome = try await Tool("eightball-ask", arguments, bus: nil).end()
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains(words))
    }
}
