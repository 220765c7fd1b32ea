import BLE
import BLESession
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
    /// Starts a central whose radio does not begin to scan before the request for it succeeds.
    private func startCentral(
        _ start: @escaping @Sendable (EightBallCentral) async throws -> Void
    ) async throws -> (EightBallCentral, starting: Task<Void, any Error>, scan: ScriptedRequest) {
        let radio = ScriptedCentralRadio()
        await radio.scanSlowly()
        let central = EightBallCentral(radio: radio, clock: ManualClock())
        let starting = Task { try await start(central) }
        let scan = try #require(await radio.requests.next())
        return (central, starting, scan)
    }

    /// Starts a ball that is not published before the request for it succeeds.
    private func startBall(
        on radio: ScriptedPeripheralRadio = ScriptedPeripheralRadio(),
        _ start: @escaping @Sendable (EightBallPeripheral) async throws -> Void
    ) async throws -> (
        EightBallPeripheral, starting: Task<Void, any Error>, publication: ScriptedRequest
    ) {
        let ball = EightBallPeripheral(radio: radio, name: "Ball", clock: ManualClock())
        let starting = Task { try await start(ball) }
        let publication = try #require(await radio.requests.next())
        return (ball, starting, publication)
    }

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

    @Test("Running ends when somebody stops it while it waits for the radio")
    func stoppedWhileWaiting() async throws {
        let centralRadio = ScriptedCentralRadio()
        await centralRadio.become(.absent)
        let central = EightBallCentral(radio: centralRadio, clock: ManualClock())
        let asking = Task { try await central.run() }
        while await central.beginnings.isEmpty { await Task.yield() }
        await central.stop()
        try await asking.value

        let ballRadio = ScriptedPeripheralRadio()
        await ballRadio.become(.absent)
        let ball = EightBallPeripheral(radio: ballRadio, name: "Ball", clock: ManualClock())
        let answering = Task { try await ball.run() }
        while await ball.beginnings.isEmpty { await Task.yield() }
        await ball.stop()
        try await answering.value
    }

    @Test("Running ends without an error when somebody stops it while it starts")
    func stoppedWhileStarting() async throws {
        let (central, asking, scan) = try await startCentral { try await $0.run() }
        await central.stop()
        scan.succeed()
        try await asking.value

        let ballRadio = ScriptedPeripheralRadio()
        let (ball, answering, publication) = try await startBall(on: ballRadio) {
            try await $0.run()
        }
        let stopping = Task { await ball.stop() }
        while await ball.session.number != nil { await Task.yield() }
        publication.succeed()
        let withdrawal = try #require(await ballRadio.requests.next())
        #expect(withdrawal.kind == .withdraw)
        withdrawal.succeed()
        await stopping.value
        try await answering.value
    }

    @Test("Starting that waits for the radio ends when somebody stops it")
    func startStopped() async throws {
        let radio = ScriptedCentralRadio()
        await radio.become(.absent)
        let central = EightBallCentral(radio: radio, clock: ManualClock())
        let starting = Task { try await central.start(waitingUpTo: .seconds(30)) }
        while await central.beginnings.isEmpty { await Task.yield() }
        await central.stop()
        let error = await #expect(throws: EightBallError.self) { try await starting.value }
        #expect(error?.code == .stopped)
        await radio.become(.on)
        #expect(await central.session.isStopped)
    }

    @Test("Running that cannot start says why")
    func startFails() async throws {
        let radio = ScriptedPeripheralRadio()
        let ball = EightBallPeripheral(radio: radio, name: "Ball", clock: ManualClock())
        let running = Task { try await ball.run() }
        await radio.requests.next()?.fail(RadioError(.notPermitted, "not for you"))
        let error = await #expect(throws: EightBallError.self) { try await running.value }
        #expect(error?.code == .notPermitted)
    }

    @Test("Running says why when what somebody else starts fails")
    func otherStartFails() async throws {
        let (central, looking, scan) = try await startCentral { try await $0.start() }
        let asking = Task { try await central.run() }
        while await central.runs.isEmpty { await Task.yield() }
        scan.fail(RadioError(.notPermitted, "not for you"))
        for call in [looking, asking] {
            let error = await #expect(throws: EightBallError.self) { try await call.value }
            #expect(error?.code == .notPermitted)
        }

        let (ball, showing, publication) = try await startBall { try await $0.start() }
        let answering = Task { try await ball.run() }
        while await ball.runs.isEmpty { await Task.yield() }
        publication.fail(RadioError(.notPermitted, "not for you"))
        for call in [showing, answering] {
            let error = await #expect(throws: EightBallError.self) { try await call.value }
            #expect(error?.code == .notPermitted)
        }
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
