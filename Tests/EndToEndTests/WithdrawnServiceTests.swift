import MagicEightBall
import Testing

@Suite("A ball that takes its service back between two questions", .timeLimit(.minutes(10)))
struct WithdrawnServiceTests {
    @Test("is reported as offline, and its link as ended")
    func offline() async throws {
        try await check { world in
            let ball = try await BallHere(in: world, FaultScene.timeouts)
            let asker = try await RecordingAsker(
                in: world,
                on: "00:AA:01:00:00:00",
                FaultScene.timeouts
            )
            #expect(try await asker.recover(within: FaultScene.patience) != nil)
            #expect(await asker.settle())
            let start = asker.told.count
            await ball.stop()
            #expect(
                await asker.told.wait(from: start, within: FaultScene.patience) {
                    ["disconnected (deviceOffline)", "error (deviceOffline)"].areTold(in: $0)
                },
                "\(asker.told.lines(from: start))"
            )
            await asker.stop()
        }
    }
}
