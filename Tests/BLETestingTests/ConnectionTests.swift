import BLE
import BLETesting
import Testing

@Suite("A connection", .timeLimit(.minutes(10)))
struct ConnectionTests {
    // MARK: - Several links

    @Test func `gives each link events, subscriptions and an end of its own`() async throws {
        let scene = try await Scene()
        let (one, other) = (try await scene.link(), try await scene.link())
        try await one.subscribe(to: Sample.level)
        try await scene.publication.update(Sample.level, to: [1])
        await one.disconnect()
        try await other.subscribe(to: Sample.level)
        try await scene.publication.update(Sample.level, to: [2])
        await other.disconnect()
        let none = "disconnected here"
        #expect(await one.allEvents() == ["[1] of \(Sample.level.characteristic) 0", none])
        #expect(await other.allEvents() == ["[2] of \(Sample.level.characteristic) 0", none])
        let connections = try await scene.responder.calls.first(7)
            .filter { !$0.contains("subscribed") }
        #expect(connections == ["published", "Phone connected", "Phone disconnected"])
    }

    @Test func `is made once when several ask at once`() async throws {
        let scene = try await Scene()
        try await scene.central.see(scene.peripheral)
        async let one = scene.central.connect(to: scene.peripheral.peer)
        async let other = scene.central.connect(to: scene.peripheral.peer)
        for link in try await [one, other] { await link.disconnect() }
        let calls = try await scene.responder.calls.first(3)
        #expect(calls == ["published", "Phone connected", "Phone disconnected"])
    }

    @Test func `is tried again for the second of two when the first attempt fails`() async throws {
        let scene = try await Scene()
        try await scene.central.see(scene.peripheral)
        await scene.peripheral.simulateConnectionAttempts(.hang)
        let attempts = (0..<2).map { _ in
            Task { try await scene.central.connect(to: scene.peripheral.peer) }
        }
        while await scene.air.attemptCount < 2 { await Task.yield() }
        await scene.peripheral.simulateOneFailure()
        var outcomes: [Bool] = []
        for attempt in attempts {
            if case .success = await attempt.result {
                outcomes.append(true)
            } else {
                outcomes.append(false)
            }
        }
        #expect(outcomes.count(where: \.self) == 1)
    }

    @Test func `keeps the connection when one of two attempts is cancelled`() async throws {
        let scene = try await Scene()
        try await scene.central.see(scene.peripheral)
        await scene.peripheral.simulateConnectionAttempts(.hang)
        let one = Task { try await scene.central.connect(to: scene.peripheral.peer) }
        async let other = scene.central.connect(to: scene.peripheral.peer)
        while await scene.air.attemptCount < 2 { await Task.yield() }
        one.cancel()
        await #expect(throws: CancellationError.self) { _ = try await one.value }
        await scene.peripheral.simulateConnectionAttempts(.succeed)
        _ = try await other.discoverServices()
    }

    // MARK: - Both roles

    @Test func `lets a peripheral connect to its central over the same connection`() async throws {
        let scene = try await Scene()
        let back = ScriptedResponder()
        _ = try await scene.central.publish(Sample.gatt, advertising: nil, responder: back)
        let link = try await scene.link()
        let linkBack = try await scene.peripheral.connect(to: scene.central.peer)
        _ = try await linkBack.discoverServices()
        try await linkBack.write([1], to: Sample.level)
        try await link.write([2], to: Sample.level)
        #expect(
            try await back.calls.first(3)
                == ["published", "Torch connected", "Torch writes [1] to 2A19/0"]
        )
        // It is the central that ends it.
        await linkBack.disconnect()
        try await link.write([3], to: Sample.level)
        let again = try await scene.peripheral.connect(to: scene.central.peer)
        await link.disconnect()
        #expect(await again.allEvents() == ["disconnected peerGone"])
    }

    @Test(arguments: [nil, 1, 2, 3, 4, 5, 6, 7, 8] as [UInt64?])
    func `gives both a link that connect to each other at once`(seed: UInt64?) async throws {
        let air = MemoryAir(seed: seed, clock: ManualClock())
        let radios = [await air.radio("A"), await air.radio("B")]
        for radio in radios { _ = try await radio.advertise(Sample.advertisement) }
        for radio in radios {
            _ = try await radio.publish(
                Sample.gatt,
                advertising: nil,
                responder: ScriptedResponder()
            )
        }
        try await radios[0].see(radios[1])
        try await radios[1].see(radios[0])
        async let one = radios[0].connect(to: radios[1].peer)
        async let other = radios[1].connect(to: radios[0].peer)
        let links = try await [one, other]
        for link in links {
            _ = try await link.discoverServices()
            try await link.write([1], to: Sample.level)
        }
        #expect(await air.connectionCount == 1)
        await links[0].disconnect()
        await air.waitUntilDelivered()
        if await !links[1].services.isEmpty { #expect(await air.connectionCount == 1) }
        await links[1].disconnect()
        await air.waitUntilDelivered()
        #expect(await air.connectionCount == 0)
    }

    // MARK: - The end

    @Test func `is lost for both when it is cut`() async throws {
        let scene = try await Scene()
        let (one, other) = (try await scene.link(), try await scene.link())
        await scene.air.simulateDisconnection(between: scene.peripheral, and: scene.central)
        #expect(await one.allEvents() == ["disconnected peerGone"])
        #expect(await other.allEvents() == ["disconnected peerGone"])
        let calls = try await scene.responder.calls.first(3)
        #expect(calls.last == "Phone disconnected")
        #expect(await one.services.isEmpty)
        await #expect {
            _ = try await one.read(Sample.level)
        } throws: {
            isRadioError(.peerGone)($0)
        }
        _ = try await scene.link()
    }

    @Test func `loses what is on its way when it is cut`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        await scene.air.sendMTUAndCut(from: scene.peripheral, to: scene.central)
        #expect(await link.allEvents() == ["disconnected peerGone"])
    }

    @Test func `is lost when the peer is out of reach`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        let radios = (scene.peripheral, scene.central)
        await scene.air.simulateProximityChange(to: nil, between: radios.0, and: radios.1)
        #expect(await link.allEvents() == ["disconnected peerGone"])
        await #expect {
            _ = try await radios.1.connect(to: radios.0.peer)
        } throws: {
            isRadioError(.connectionFailed)($0)
        }
    }

    @Test func `delivers what was sent before the central disconnected`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        try await link.writeWithoutResponse([7], to: Sample.command)
        await link.disconnect()
        await link.disconnect()
        let calls = try await scene.responder.calls.first(4)
        #expect(calls.suffix(2) == ["Phone writes [7] to 2A20/0", "Phone disconnected"])
        #expect(await link.allEvents() == ["disconnected here"])
    }
}
