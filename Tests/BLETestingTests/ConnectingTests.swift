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
