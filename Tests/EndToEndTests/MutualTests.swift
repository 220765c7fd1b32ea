import Foundation
import Testing
import VirtualBlueZ

/// Two machines that want something of each other at the same moment.
@Suite("Two that call each other", .timeLimit(.oneCheck))
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

    /// Each has a `ble-socket` that listens, and one that connects: all over one connection, which may be made by both at once.
    @Test func `both have the other one's file, round after round`() async throws {
        try await check { world in
            for round in 1...Self.roundCount {
                let files = try [Files(byteCount: 20_000), Files(byteCount: 15_000)]
                defer { for each in files { each.remove() } }
                let there = try FileTransfer(
                    of: files[0],
                    in: world,
                    from: 0,
                    to: 1,
                    listening: [],
                    connecting: []
                )
                let back = try FileTransfer(
                    of: files[1],
                    in: world,
                    from: 1,
                    to: 0,
                    listening: [],
                    connecting: []
                )
                async let first = there.end()
                async let second = back.end()
                for (files, transfer) in zip(files, [await first, await second]) {
                    let (sent, received) = transfer
                    #expect(sent.status == 0, "round \(round): \(sent)")
                    #expect(received.status == 0, "round \(round): \(received)")
                    #expect(try files.areEqual, "round \(round): \(sent)\n\(received)")
                }
                print("mutual | round \(round) of files | over")
            }
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
