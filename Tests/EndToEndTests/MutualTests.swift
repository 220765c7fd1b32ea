import Foundation
import Testing
import VirtualBlueZ

/// Two machines that are balls, and ask each other at the same moment.
@Suite("Two that ask each other", .timeLimit(.oneCheck))
struct MutualTests {
    /// How often; `MUTUAL_ROUNDS` says another number.
    private static let roundCount =
        ProcessInfo.processInfo.environment["MUTUAL_ROUNDS"].flatMap { Int($0) } ?? 3

    @Test func `both have answers, round after round`() async throws {
        try await check { world in
            let balls = [
                try await world.ball(on: 0, "--name", "Red", "--answer", "I am Red."),
                try await world.ball(on: 1, "--name", "Blue", "--answer", "I am Blue."),
            ]
            var slowest = Duration.zero
            for round in 1...Self.roundCount {
                async let first = Self.ask("Blue", on: 0, in: world)
                async let second = Self.ask("Red", on: 1, in: world)
                for (outcome, duration, answer) in [
                    try await (first.0, first.1, "I am Blue."),
                    try await (second.0, second.1, "I am Red."),
                ] {
                    #expect(outcome.status == 0, "round \(round): \(outcome)")
                    #expect(outcome.lines.last == answer, "round \(round): \(outcome)")
                    slowest = max(slowest, duration)
                    print("mutual | round \(round) | \(outcome.status) | \(duration)")
                }
            }
            print("mutual | slowest of \(2 * Self.roundCount) | \(slowest)")
            for ball in balls { ball.send(SIGINT) }
            for ball in balls { await ball.end() }
        }
    }

    private static func ask(
        _ ball: String,
        on adapter: Int,
        in world: any World
    ) async throws -> (Tool.Outcome, Duration) {
        let begin = ContinuousClock.now
        let asked = try await world.ask("--adapter", "hci\(adapter)", "--name", ball, "Who?")
        return (asked, ContinuousClock.now - begin)
    }
}
