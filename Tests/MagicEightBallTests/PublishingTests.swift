import BLE
import BLETesting
import MagicEightBall
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PublishingTests {
    @Test("stop takes everything back, and refuses who comes meanwhile")
    func stop() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        try await scene.radio.write("Well?", from: "A")
        async let stopped: Void = scene.ball.stop()
        let withdrawal = try await scene.expect(.withdraw)
        #expect(try await scene.refusal(of: "Well?", from: "B")?.rawValue == 0x94)
        withdrawal.succeed()
        await stopped
        for line in [
            "connected A", "question A Well?", "failed A Well? stopped", "disconnected A",
            "not advertising",
        ] {
            await scene.hear(line)
        }
        #expect(await !scene.ball.isAdvertising)
        await scene.ball.stop()
    }

    @Test("A radio that is closed for good stops the ball")
    func radioClosed() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        await scene.radio.close()
        try await scene.expect(.withdraw).succeed()
        await scene.hear("failed stopped")
        await scene.hear("not advertising")
        #expect(await !scene.ball.isAdvertising)
    }

    @Test("stop does not wait for ever")
    func stopTimeout() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        let stopping = Task { await scene.ball.stop() }
        _ = try await scene.expect(.withdraw)
        await scene.clock.waitForSleeper(for: .seconds(5))
        await scene.clock.advance(by: .seconds(5))
        await stopping.value
    }

    @Test("A publication that ended is made anew when the radio is on")
    func restored() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        await scene.radio.become(.absent)
        await scene.hear("radio absent")
        await scene.radio.say(.ended(RadioError(.noService, "bluetoothd has gone")))
        await scene.hear("not advertising: noService")
        await scene.hear("failed noService")
        #expect(await scene.ball.error?.code == .noService)

        await scene.clock.waitForSleeper(for: .seconds(1))
        await scene.clock.advance(by: .seconds(1))
        await scene.radio.become(.on)
        try await scene.expect(.publish("Ball")).fail(RadioError(.noService, "not yet"))
        await scene.clock.waitForSleeper(for: .seconds(1))
        await scene.clock.advance(by: .seconds(1))
        try await scene.expect(.publish("Ball")).succeed()
        await scene.hear("radio on")
        await scene.hear("advertising")
    }

    @Test(
        "A name that cannot be advertised is an error",
        arguments: ["", String(repeating: "n", count: 30)]
    )
    func invalidName(name: String) async throws {
        let ball = EightBallPeripheral(radio: ScriptedPeripheralRadio(), name: name)
        let error = await #expect(throws: EightBallError.self) { try await ball.start() }
        #expect(error?.code == .invalidName)
    }

    @Test("Starting without a radio is an error, and starts nothing")
    func startFails() async throws {
        let radio = ScriptedPeripheralRadio()
        let ball = EightBallPeripheral(radio: radio, name: "Ball")
        let starting = Task { try await ball.start() }
        await radio.requests.next()?.fail(RadioError(.off, "hci1 has no power"))
        let error = await #expect(throws: EightBallError.self) { try await starting.value }
        #expect(error?.code == .radioOff)
        #expect(await !ball.isAdvertising)

        let again = Task { try await ball.start() }
        await radio.requests.next()?.succeed()
        try await again.value
        #expect(await ball.isAdvertising)
    }

    @Test("A cancelled start publishes nothing")
    func startCancelled() async throws {
        let radio = ScriptedPeripheralRadio()
        let ball = EightBallPeripheral(radio: radio, name: "Ball")
        let starting = Task { try await ball.start() }
        _ = await radio.requests.next()
        starting.cancel()
        await #expect(throws: CancellationError.self) { try await starting.value }
        #expect(await !ball.isAdvertising)
    }

    @Test("A start that is cancelled just before the radio has published reports nothing")
    func startCancelledLate() async throws {
        let radio = ScriptedPeripheralRadio()
        await radio.ignoreCancellation()
        let ball = EightBallPeripheral(radio: radio, name: "Ball")
        let recorder = PeripheralRecorder()
        await ball.addObserver(recorder)
        let starting = Task { try await ball.start() }
        let publishing = try #require(await radio.requests.next())
        starting.cancel()
        publishing.succeed()
        let withdrawal = try #require(await radio.requests.next())
        #expect(withdrawal.kind == .withdraw)
        withdrawal.succeed()
        await #expect(throws: CancellationError.self) { try await starting.value }

        let again = Task { try await ball.start() }
        await radio.requests.next()?.succeed()
        try await again.value
        await radio.say(.connected(PeerID(rawValue: "A")))
        #expect(await recorder.next() == "advertising")
        #expect(await recorder.next() == "connected A")
    }
}
