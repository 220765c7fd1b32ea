import BLEDBus
import Testing

/// Balls that send what no ball should: what the command prints stays harmless, and it ends.
@Suite("A hostile ball", .timeLimit(.oneCheck))
struct HostileBallTests {
    /// Clears a screen, sets a window's title, rings, turns the text's direction, ends the line.
    private static let controls =
        "\u{1B}[2J\u{1B}]0;owned\u{7}\u{9B}31m\u{202E}\u{8}\r\n\u{2028}\u{0}?"

    private func isHarmless(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x0A: true
            case 0x00...0x1F, 0x7F...0x9F, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: false
            default: true
            }
        }
    }

    @Test(arguments: [[], ["--json"]])
    func `makes a terminal do nothing with its answer`(options: [String]) async throws {
        try await check("an answer of control characters, \(options)") { world in
            let ball = try await ScriptedBall(in: world) { ball, call in
                call.reply()
                ball.notify(Array(Self.controls.utf8))
            }
            defer { withExtendedLifetime(ball) {} }
            let outcome = try await world.ask(options + ["Will it rain?"])
            #expect(outcome.status == 0, "\(outcome)")
            #expect(isHarmless(outcome.output) && isHarmless(outcome.errors), "\(outcome)")
            let escape = options.isEmpty ? #"\u{1B}[2J"# : #"\u001b[2J"#
            #expect(outcome.output.contains(escape), "\(outcome)")
            #expect(outcome.lines.count { $0.contains("owned") } == 1)
        }
    }

    @Test func `makes a terminal do nothing with its name`() async throws {
        try await check { world in
            let ball = try await ScriptedBall(in: world, name: "\u{1B}[2J\u{7}Evil") { ball, call in
                call.reply()
                ball.notify(Array("Yes".utf8))
            }
            defer { withExtendedLifetime(ball) {} }
            let outcome = try await world.ask("Will it rain?")
            #expect(outcome.status == 0, "\(outcome)")
            #expect(isHarmless(outcome.output) && isHarmless(outcome.errors), "\(outcome)")
            #expect(outcome.errors.contains("Evil"))
        }
    }

    @Test func `has an answer of 512 bytes printed as far as it came`() async throws {
        try await check { world in
            let ball = try await ScriptedBall(in: world) { ball, call in
                call.reply()
                ball.notify([UInt8](repeating: UInt8(ascii: "y"), count: 512))
            }
            defer { withExtendedLifetime(ball) {} }
            let outcome = try await world.ask("Will it rain?")
            #expect(outcome.status == 0, "\(outcome)")
            // bluetoothd cuts what is longer than a notification.
            #expect(outcome.output.hasPrefix(String(repeating: "y", count: 480)))
        }
    }

    /// Before it accepts the question, and so for as long as it likes.
    @Test func `tells values without end, and is left or asked all the same`() async throws {
        try await check { world in
            let ball = try await ScriptedBall(in: world) { ball, call in
                for number in 0..<1000 { ball.notify(Array("\(number)".utf8)) }
                call.reply()
            }
            defer { withExtendedLifetime(ball) {} }
            let outcome = try await world.ask("--timeout", world.seconds(20), "Will it rain?")
            // Taken in time the last one is the answer; else the ball sent faster than could be taken, or
            // the reply to the write came behind them, too late, or bluetoothd's own 0x0E after 5 s.
            #expect([0, 65, 75, 76].contains(outcome.status), "\(outcome)")
        }
    }

    @Test(
        arguments: [
            [], [0xFF], [1], [1, 2, 3], [2] + [UInt8](repeating: 7, count: 400),
            [1] + [UInt8](repeating: 7, count: 8), [UInt8](repeating: 0, count: 20),
        ] as [[UInt8]]
    )
    func `tells what nobody asked for, before the answer`(value: [UInt8]) async throws {
        try await check(
            "\(value.count) bytes nobody asked for, \(value.prefix(2))",
            virtualOnlyBecause: "the guest takes longer for two values than one is doubted, 100 ms"
        ) { world in
            let ball = try await ScriptedBall(in: world) { ball, call in
                ball.notify(value)
                ball.notify(Array("Yes".utf8))
                call.reply()
            }
            defer { withExtendedLifetime(ball) {} }
            let outcome = try await world.ask("Will it rain?")
            // Of early values the last one counts. A process that did not run for 100 ms between the two takes
            // the first one, as it would take it from a ball that says no more.
            let first = String(validating: value, as: UTF8.self).map(Self.shown)
            if outcome.output != "Yes\n", outcome.status == 0 {
                #expect(outcome.output == first.map { $0 + "\n" }, "\(outcome)")
            } else {
                #expect(outcome.status == (outcome.output == "Yes\n" ? 0 : 76), "\(outcome)")
            }
        }
    }

    /// As a terminal is shown an answer: no control character reaches it.
    private static func shown(_ answer: String) -> String {
        answer.unicodeScalars.map { scalar in
            scalar.value < 0x20
                ? "\\u{\(String(scalar.value, radix: 16))}" : String(Character(scalar))
        }.joined()
    }
}
