import BLEDBus
import BLELocking
import Foundation
import MagicEightBall
import Testing

/// A link that goes at any moment of a question: what a ball of the SDK, which replies to each write
/// at once, never lets its bluetoothd die of.
@Suite("A link that goes", .timeLimit(.minutes(10)))
struct LinkDropTests {
    /// When a ball's source has its answer; what questions for it begin with.
    private static let sources = ["Is it", lately, slowly]

    @Test(.enabled(if: FaultTests.isWanted, "Scripts/faults runs it"))
    func `at any moment of a question takes nothing with it`() async throws {
        let count = FaultTests.isAll ? 50 : 18
        let name = "a link is dropped \(count) times, at all moments of a question"
        let figures = Locked("")
        try await perform(timing: .quick, adapters: 3) { world in
            var timeouts = FaultScene.timeouts
            // That of a question whose answer never comes, and whose link was not there yet.
            timeouts.privateAnswer = .seconds(WorldKind.current.slowness)
            let ball = try await BallHere(in: world, timeouts)
            let asker = try await RecordingAsker(in: world, on: "00:AA:01:00:00:00", timeouts)
            let stranger = try await world.observer()
            let daemon = try await Self.daemon(on: stranger)
            // The first one finds the ball; the second one's time is that of a question with a link
            // of its own, from which the moments are taken.
            #expect(try await asker.recover(within: FaultScene.patience) != nil)
            try await Self.endLink(0, world, stranger)
            let whole = try #require(try await asker.recover(within: FaultScene.patience)) * 1.2
            var stages: [String: Int] = [:]
            for number in 0..<count {
                try await Self.endLink(number, world, stranger)
                let start = asker.told.count
                let asking = Task { await asker.ask(Self.sources[number % 3]) }
                // A moment of the question is what is chosen here, each time another one.
                try await Task.sleep(for: whole * Double(number) / Double(count))
                stages[asker.told.lines(from: start).last ?? "connecting", default: 0] += 1
                try await Self.endLink(number, world, stranger)
                if case .hung = await asking.value { Issue.record("a question hangs") }
            }
            #expect(try await asker.recover(within: FaultScene.patience) != nil)
            #expect(await asker.settle())
            #expect(asker.lostCount == 0)
            #expect(try await Self.daemon(on: stranger) == daemon, "bluetoothd has died")
            let moments = stages.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
            figures.withLock {
                $0 =
                    "\(asker.figures); dropped while: \(moments.joined(separator: ", "))"
                    + "; bluetoothd is the same: \(daemon)"
            }
            await asker.stop()
            await ball.stop()
            await stranger.close()
        } telling: { hasFailed in
            let result = hasFailed ? "failed" : "passed"
            print("figures | \(name) | \(WorldKind.name) | \(result) | \(figures.withLock { $0 })")
        }
    }

    /// Ends the link at one side, then at the other; there may be none yet.
    private static func endLink(
        _ number: Int,
        _ world: any World,
        _ stranger: Connection
    ) async throws {
        let side = number / 3 % 2
        let device = try world.device(1 - side, of: side)
        do {
            try await stranger.call(device, "Device1", "Disconnect")
        } catch is ErrorReply {
            return
        }
    }

    /// Which bluetoothd: its unique name, and its process.
    private static func daemon(on bus: Connection) async throws -> String {
        let name = try #require(try await bus.owner(of: "org.bluez"))
        let call = try Message.methodCall(
            to: "org.freedesktop.DBus",
            at: "/org/freedesktop/DBus",
            "org.freedesktop.DBus",
            "GetConnectionUnixProcessID",
            [.string(name)]
        )
        let process = try await bus.call(call).body().first?.integer ?? 0
        return "\(name), process \(process)"
    }
}
