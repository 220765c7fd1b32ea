import BLE
import Testing

@testable import MagicEightBall

@Suite(.timeLimit(.minutes(10)))
struct PeripheralStreamTests {
    @Test("A stream that nobody reads any more keeps no peripheral alive")
    func deallocation() async throws {
        weak var ball: EightBallPeripheral?
        do {
            let scene = try await AnsweringScene(answers: .manual)
            ball = scene.ball
            let events = await scene.ball.events
            await scene.radio.say(.connected(PeerID(rawValue: "A")))
            for await event in events {
                if case .connected = event { break }
            }
            // It waits in the stream with the asker, which holds the ball.
            await scene.radio.say(.disconnected(PeerID(rawValue: "A")))
            async let stopped: Void = scene.ball.stop()
            try await scene.expect(.withdraw).succeed()
            await stopped
            await scene.radio.forgetResponder()
        }
        while ball != nil { await Task.yield() }
    }
}
