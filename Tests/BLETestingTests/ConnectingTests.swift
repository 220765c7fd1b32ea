import BLE
import BLETesting
import Testing

@Suite("Connecting", .timeLimit(.minutes(10)))
struct ConnectingTests {
    private func connect(_ radio: MemoryRadio, _ other: MemoryRadio) async throws -> any Link {
        try await radio.see(other)
        return try await radio.connect(to: other.peer)
    }

    private func expectFailure(
        _ code: RadioError.Code,
        _ body: () async throws -> any Link
    ) async {
        await #expect {
            _ = try await body()
        } throws: {
            isRadioError(code)($0)
        }
    }

    @Test func `needs a peer that a scan has reported`() async throws {
        let scene = try await Scene()
        await expectFailure(.unknownPeer) {
            try await scene.central.connect(to: scene.peripheral.peer)
        }
    }

    @Test func `fails when the peer does not advertise that it is connectable`() async throws {
        let air = MemoryAir(clock: ManualClock())
        let (central, peripheral) = (await air.radio("A"), await air.radio("B"))
        var advertisement = Sample.advertisement
        advertisement.isConnectable = false
        let advertising = try await peripheral.advertise(advertisement)
        await expectFailure(.connectionFailed) { try await connect(central, peripheral) }
        try await advertising.update(Sample.advertisement)
        let link = try await central.connect(to: peripheral.peer)
        await link.disconnect()
        try await advertising.pause()
        await expectFailure(.connectionFailed) { try await central.connect(to: peripheral.peer) }
        try await advertising.resume()
        await peripheral.simulatePowerOff()
        await expectFailure(.connectionFailed) { try await central.connect(to: peripheral.peer) }
        await peripheral.simulatePowerOn()
        _ = try await central.connect(to: peripheral.peer)
    }

    @Test func `fails as it was told to`() async throws {
        let scene = try await Scene()
        let error = RadioError(.connectionFailed, "the peer did not reply")
        await scene.peripheral.simulateConnectionAttempts(.fail(error))
        await expectFailure(.connectionFailed) {
            try await connect(scene.central, scene.peripheral)
        }
        await scene.peripheral.simulateConnectionAttempts(.succeed)
        _ = try await scene.central.connect(to: scene.peripheral.peer)
    }

    @Test func `hangs until it is cancelled, and leaves nothing behind`() async throws {
        let scene = try await Scene()
        try await scene.central.see(scene.peripheral)
        await scene.peripheral.simulateConnectionAttempts(.hang)
        let attempt = Task { try await scene.central.connect(to: scene.peripheral.peer) }
        while await scene.air.attemptCount == 0 { await Task.yield() }
        await scene.air.waitUntilDelivered()
        attempt.cancel()
        await #expect(throws: CancellationError.self) { _ = try await attempt.value }
        await scene.peripheral.simulateConnectionAttempts(.succeed)
        await scene.air.waitUntilDelivered()
        let link = try await scene.link()
        _ = try await link.read(Sample.level)
        let calls = try await scene.responder.calls.first(3)
        #expect(calls == ["published", "Phone connected", "Phone reads 2A19/0 at 0"])
    }

    @Test func `ends at once when the radio is turned off meanwhile`() async throws {
        let scene = try await Scene()
        try await scene.central.see(scene.peripheral)
        await scene.peripheral.simulateConnectionAttempts(.hang)
        let attempt = Task { try await scene.central.connect(to: scene.peripheral.peer) }
        while await scene.air.attemptCount == 0 { await Task.yield() }
        await scene.central.simulatePowerOff()
        await expectFailure(.off) { try await attempt.value }
    }

    /// Two attempts that wait for the end of a connection, and one that was cancelled there.
    private func attemptsWhileEnding(
        _ scene: Scene
    ) async throws -> [Task<any Link, any Error>] {
        await scene.central.simulateDisconnecting(takes: .zero, endingAfter: .seconds(3))
        try await scene.link().disconnect()
        let attempts = (1...3).map { _ in
            Task { try await scene.central.connect(to: scene.peripheral.peer) }
        }
        while await scene.air.endingWaitCount < 3 { await Task.yield() }
        attempts[0].cancel()
        await #expect(throws: CancellationError.self) { _ = try await attempts[0].value }
        return Array(attempts.dropFirst())
    }

    @Test func `waits for the end of a connection, in any number of calls`() async throws {
        let scene = try await Scene()
        let attempts = try await attemptsWhileEnding(scene)
        await scene.clock.pass(.seconds(3))
        for attempt in attempts { #expect(try await attempt.value.peer == scene.peripheral.peer) }
    }

    @Test func `waits for the end of a connection no longer than the radio is on`() async throws {
        let scene = try await Scene()
        let attempts = try await attemptsWhileEnding(scene)
        await scene.central.simulatePowerOff()
        for attempt in attempts { await expectFailure(.off) { try await attempt.value } }
    }

    @Test func `goes on when an attempt that hung may succeed`() async throws {
        let scene = try await Scene()
        try await scene.central.see(scene.peripheral)
        await scene.peripheral.simulateConnectionAttempts(.hang)
        async let link = scene.central.connect(to: scene.peripheral.peer)
        while await scene.air.attemptCount == 0 { await Task.yield() }
        await scene.air.waitUntilDelivered()
        await scene.peripheral.simulateConnectionAttempts(.succeed)
        #expect(try await link.peer == scene.peripheral.peer)
    }

    @Test func `fails when the radio has no room for another connection`() async throws {
        var configuration = MemoryRadio.Configuration()
        configuration.connectionCount = 1
        let scene = try await Scene(central: configuration)
        let lamp = await scene.air.radio("Lamp")
        _ = try await lamp.advertise(Sample.advertisement)
        let link = try await connect(scene.central, scene.peripheral)
        await expectFailure(.limitReached) { try await connect(scene.central, lamp) }
        await link.disconnect()
        _ = try await scene.central.connect(to: lamp.peer)
        _ = try await scene.central.advertise(Sample.advertisement)
        await expectFailure(.connectionFailed) {
            try await connect(scene.peripheral, scene.central)
        }
    }

    @Test func `leaves no connection when it is cancelled, whenever that is`() async throws {
        let scene = try await Scene()
        try await scene.central.see(scene.peripheral)
        for count in 0..<400 {
            let attempt = Task { try await scene.central.connect(to: scene.peripheral.peer) }
            for _ in 0..<(count % 20) { await Task.yield() }
            attempt.cancel()
            switch await attempt.result {
            case .success(let link): await link.disconnect()
            case .failure(let error): #expect(error is CancellationError)
            }
            #expect(await scene.air.attemptCount == 0)
            await scene.air.waitUntilDelivered()
            #expect(await scene.air.connectionCount == 0)
        }
    }
}
