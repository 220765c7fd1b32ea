import BLE
import BLETesting
import Testing

@testable import MagicEightBall

/// As swift-service-lifecycle has it.
private protocol Service: Sendable {
    func run() async throws
}

extension EightBallCentral: Service {}
extension EightBallPeripheral: Service {}

@Suite(.timeLimit(.minutes(10)))
struct RunningTests {
    @Test("A central runs as long as its task, and may run again")
    func central() async throws {
        let radio = ScriptedCentralRadio()
        let central = EightBallCentral(radio: radio, clock: ManualClock())
        for _ in 1...2 {
            let service: any Service = central
            let running = Task { try await service.run() }
            _ = await radio.scansBegun.next()
            running.cancel()
            try await running.value
            _ = await radio.scansEnded.next()
        }
    }

    @Test("A ball runs as long as its task, and leaves nothing published")
    func peripheral() async throws {
        let radio = ScriptedPeripheralRadio()
        let ball = EightBallPeripheral(radio: radio, name: "Ball", clock: ManualClock())
        let service: any Service = ball
        let running = Task { try await service.run() }
        let publication = try #require(await radio.requests.next())
        #expect(publication.kind == .publish("Ball"))
        publication.succeed()
        while await !ball.isAdvertising { await Task.yield() }
        running.cancel()
        let withdrawal = try #require(await radio.requests.next())
        #expect(withdrawal.kind == .withdraw)
        withdrawal.succeed()
        try await running.value
        #expect(await !ball.isAdvertising)
    }

    @Test("Running ends when somebody stops the central")
    func stopped() async throws {
        let radio = ScriptedCentralRadio()
        let central = EightBallCentral(radio: radio, clock: ManualClock())
        let running = Task { try await central.run() }
        _ = await radio.scansBegun.next()
        while await !central.session.isScanning { await Task.yield() }
        await central.stop()
        try await running.value
    }

    @Test("Running ends with an error when the radio is closed for good")
    func closed() async throws {
        let radio = ScriptedCentralRadio()
        let central = EightBallCentral(radio: radio, clock: ManualClock())
        let running = Task { try await central.run() }
        _ = await radio.scansBegun.next()
        await radio.close()
        let error = await #expect(throws: EightBallError.self) { try await running.value }
        #expect(error?.code == .stopped)
    }

    @Test("Running waits for the radio, and ends there with its task")
    func waits() async throws {
        let radio = ScriptedCentralRadio()
        await radio.become(.absent)
        let central = EightBallCentral(radio: radio, clock: ManualClock())
        let cancelled = Task { try await central.run() }
        cancelled.cancel()
        try await cancelled.value
        let running = Task { try await central.run() }
        await radio.become(.on)
        #expect(await radio.scansBegun.next() == 1)
        running.cancel()
        try await running.value
    }

    @Test("Starting may wait for the radio")
    func startWaits() async throws {
        let radio = ScriptedCentralRadio()
        let clock = ManualClock()
        await radio.become(.absent)
        let central = EightBallCentral(radio: radio, clock: clock)
        let starting = Task { try await central.start(waitingUpTo: .seconds(30)) }
        await clock.waitForSleeper(for: .seconds(30))
        await radio.become(.on)
        try await starting.value
        #expect(await radio.scansBegun.next() == 1)
        await central.stop()
    }

    @Test("Starting that has waited in vain says why")
    func startWaitsInVain() async throws {
        let radio = ScriptedCentralRadio()
        let clock = ManualClock()
        await radio.become(.off)
        await radio.setScanError(RadioError(.off, "hci0 has no power"))
        let central = EightBallCentral(radio: radio, clock: clock)
        let starting = Task { try await central.start(waitingUpTo: .seconds(30)) }
        await clock.waitForSleeper(for: .seconds(30))
        await clock.advance(by: .seconds(30))
        let error = await #expect(throws: EightBallError.self) { try await starting.value }
        #expect(error?.code == .radioOff)
    }
}
