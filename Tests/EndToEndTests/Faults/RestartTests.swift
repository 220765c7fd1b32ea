import BLEDBus
import BLELocking
import Foundation
import MagicEightBall
import Testing

/// A bluetoothd that dies again and again.
@Suite("A bluetoothd that dies again and again", .timeLimit(.minutes(10)))
struct RestartTests {
    @Test(.enabled(if: FaultTests.isWanted, "Scripts/faults runs it"))
    func `loses no question, and is used again each time`() async throws {
        let count = FaultTests.isAll ? 20 : 8
        let name = "bluetoothd is killed and restarted \(count) times"
        let figures = Locked("")
        try await perform(timing: .quick, adapters: 3) { world in
            let ball = try await BallHere(in: world, FaultScene.timeouts)
            let asker = try await RecordingAsker(
                in: world,
                on: "00:AA:01:00:00:00",
                FaultScene.timeouts
            )
            #expect(try await asker.recover(within: FaultScene.patience) != nil)
            let asking = Task {
                while !Task.isCancelled {
                    // As somebody who asks every second; sooner where nothing takes long.
                    async let pause: Void = pause()
                    // In a task that nobody cancels: one that is cancelled before it is asked has no end.
                    let question = Task { await asker.ask() }
                    if case .hung = await question.value { Issue.record("a question hangs") }
                    await pause
                }
            }
            for number in 1...count {
                // So that each comes at another moment: of beginning anew, which takes a real one 10 s with
                // the kernel's scan of the one before, and of asking.
                try await Task.sleep(for: Self.second * Double(number % 7) * 2.5)
                try await world.killDaemon()
                try await world.startDaemon()
            }
            asking.cancel()
            await asking.value
            let recovery = try await asker.recover(within: FaultScene.patience)
            #expect(recovery != nil, "no question is answered after the last time")
            #expect(await asker.settle())
            #expect(asker.lostCount == 0)
            figures.withLock { $0 = asker.figures }
            await asker.stop()
            await ball.stop()
        } telling: { hasFailed in
            let result = hasFailed ? "failed" : "passed"
            print("figures | \(name) | \(WorldKind.name) | \(result) | \(figures.withLock { $0 })")
        }
    }

    private static let second: Duration =
        WorldKind.current == .virtual ? .milliseconds(100) : .seconds(1)

    /// The questions of a person, who takes time between two of them; nothing is waited for.
    private func pause() async {
        do { try await Task.sleep(for: Self.second) } catch { return }
    }
}
