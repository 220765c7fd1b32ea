import BLE
import BLETesting
import Testing

@Suite("Publishing", .timeLimit(.minutes(10)))
struct PublishingTests {
    @Test func `calls the responder in order, one call at a time`() async throws {
        let scene = try await Scene()
        await scene.responder.hold(.all)
        let link = try await scene.link()
        let tablet = try await scene.link(scene.air.radio("Tablet"))
        async let write: Void = link.write([1], to: Sample.level)
        async let read = tablet.read(Sample.level)
        #expect(try await scene.responder.calls.first(1) == ["published"])
        await scene.responder.release()
        _ = try await (write, read)
        for value in UInt8(2)..<10 {
            try await link.writeWithoutResponse([value], to: Sample.command)
        }
        await link.disconnect()
        let calls = try await scene.responder.calls.first(13)
        #expect(calls.prefix(2) == ["Phone connected", "Tablet connected"])
        #expect(calls.last == "Phone disconnected")
        let commands = calls.filter { $0.hasSuffix("to 2A20/0") }
        #expect(commands == (2..<10).map { "Phone writes [\($0)] to 2A20/0" })
        #expect(await scene.responder.maximumCallCount == 1)
    }

    @Test func `hands the responder its publication first`() async throws {
        let scene = try await Scene()
        #expect(try await scene.responder.calls.first(1) == ["published"])
        let publication = try #require(await scene.responder.publication)
        await publication.withdraw()
        await expect(.withdrawn) { try await scene.publication.update(Sample.level, to: []) }
    }

    @Test func `shows a central that was connected before with its first request`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        let responder = ScriptedResponder()
        let battery = GATTService(
            uuid: "180F",
            characteristics: [GATTCharacteristic(uuid: "2A19", properties: [.read])]
        )
        _ = try await scene.peripheral.publish(battery, advertising: nil, responder: responder)
        await scene.air.waitUntilDelivered()
        _ = try await link.read(AttributeID(service: "180F", characteristic: "2A19"))
        let calls = try await responder.calls.first(3)
        #expect(calls == ["published", "Phone connected", "Phone reads 2A19/0 at 0"])
    }

    @Test func `takes both kinds of writes only with the option, and loses refusals then`()
        async throws
    {
        let both = GATTService(
            uuid: Sample.service,
            characteristics: [
                GATTCharacteristic(uuid: "2A19", properties: [.write, .writeWithoutResponse])
            ]
        )
        await expect(.unsupported) { _ = try await Scene([both]) }
        let scene = try await Scene([both], options: .lostRefusals)
        await scene.responder.setReply(.failure(.unlikelyError))
        let link = try await scene.link()
        try await link.write([1], to: Sample.level)
        try await link.writeWithoutResponse([2], to: Sample.level)
        let calls = try await scene.responder.calls.first(4)
        #expect(calls.suffix(2) == ["Phone writes [1] to 2A19/0", "Phone writes [2] to 2A19/0"])
    }

    // MARK: - Disconnecting a central

    @Test func `disconnects a central`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        try await scene.publication.disconnect(scene.central.peer)
        #expect(await link.allEvents() == ["disconnected peerGone"])
        let calls = try await scene.responder.calls.first(3)
        #expect(calls.last == "Phone disconnected")
        try await scene.publication.disconnect(scene.central.peer)
        _ = try await scene.link()
    }

    @Test func `answers a central's request before it disconnects it`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        await scene.responder.hold()
        await scene.responder.setReply(.success([7]))
        let read = Task { try await link.read(Sample.level) }
        let later = Task {
            _ = try await scene.responder.calls.first(3)
            try await scene.publication.disconnect(scene.central.peer)
        }
        while await !scene.air.isDisconnecting { await Task.yield() }
        try await link.writeWithoutResponse([1], to: Sample.command)
        let second = Task { try await link.read(Sample.level) }
        await scene.responder.release()
        #expect(try await read.value == [7])
        await #expect(throws: (any Error).self) { _ = try await second.value }
        try await later.value
        #expect(await link.allEvents() == ["disconnected peerGone"])
        #expect(try await scene.responder.calls.first(1) == ["Phone disconnected"])
    }

    @Test func `does not disconnect a central when that is cancelled`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        await scene.responder.hold()
        let read = Task { try await link.read(Sample.level) }
        _ = try await scene.responder.calls.first(3)
        let disconnection = Task { try await scene.publication.disconnect(scene.central.peer) }
        while await !scene.air.isDisconnecting { await Task.yield() }
        disconnection.cancel()
        await #expect(throws: CancellationError.self) { try await disconnection.value }
        await scene.responder.release()
        _ = try await read.value
        _ = try await link.read(Sample.level)
    }

    // MARK: - The end

    @Test func `withdraws: services are invalidated, and what is asked for fails`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        let values = try await link.notifications(of: Sample.level)
        await scene.publication.withdraw()
        await expect(.servicesInvalidated) { for try await _ in values {} }
        await expect(.servicesInvalidated) { try await link.write([1], to: Sample.level) }
        #expect(await link.services.isEmpty)
        await link.disconnect()
        #expect(await link.allEvents() == ["invalidated 1", "disconnected here"])
        await scene.publication.withdraw()
    }

    @Test func `withdraws when it has answered, and refuses what is asked then`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        let tablet = try await scene.link(scene.air.radio("Tablet"))
        let advertisementCount = await scene.peripheral.capabilities.freeAdvertisementCount
        await scene.responder.hold()
        await scene.responder.setReply(.success([7]))
        let read = Task { try await link.read(Sample.level) }
        _ = try await scene.responder.calls.first(4)
        let withdrawal = Task { await scene.publication.withdraw() }
        while await !scene.air.isWithdrawing { await Task.yield() }
        // Who cancels wants it to be done all the same.
        withdrawal.cancel()
        let stoppedCount = await scene.peripheral.capabilities.freeAdvertisementCount
        #expect(stoppedCount == advertisementCount.map { $0 + 1 })
        await #expect(throws: ATTError.unlikelyError) { _ = try await tablet.read(Sample.level) }
        await scene.responder.release()
        #expect(try await read.value == [7])
        await withdrawal.value
        await scene.air.waitUntilDelivered()
        #expect(await link.services.isEmpty)
    }

    @Test func `withdraws without its reply when the responder hangs, or withdraws it itself`()
        async throws
    {
        let scene = try await Scene()
        let link = try await scene.link()
        await scene.responder.setOnWrite { await $0.withdraw() }
        await expect(.servicesInvalidated) { try await link.write([1], to: Sample.level) }

        let other = try await Scene()
        let second = try await other.link()
        await other.responder.hold()
        let read = Task { try await second.read(Sample.level) }
        _ = try await other.responder.calls.first(3)
        let withdrawal = Task { await other.publication.withdraw() }
        while await !other.air.isWithdrawing { await Task.yield() }
        await other.clock.pass(.seconds(4))
        await withdrawal.value
        await #expect(throws: ATTError.unlikelyError) { _ = try await read.value }
        await other.responder.release()
    }

    @Test func `publishes nothing when there is no room for the advertisement`() async throws {
        var configuration = MemoryRadio.Configuration()
        configuration.advertisementCount = 1
        let scene = try await Scene(peripheral: configuration)
        await expect(.limitReached) {
            _ = try await scene.peripheral.publish(
                Sample.gatt,
                advertising: Sample.advertisement,
                responder: ScriptedResponder()
            )
        }
        let link = try await scene.link()
        #expect(await link.services.count == 1)
        await scene.publication.withdraw()
        #expect(await scene.peripheral.capabilities.freeAdvertisementCount == 1)
    }

    @Test func `ends when more events wait for the responder than it keeps`() async throws {
        let scene = try await Scene()
        await scene.responder.hold(.all)
        let link = try await scene.link()
        for _ in 0..<520 {
            do {
                try await link.subscribe(to: Sample.level)
                try await link.unsubscribe(from: Sample.level)
            } catch {
                #expect(isRadioError(.servicesInvalidated)(error))
                break
            }
            if await link.services.isEmpty { break }
        }
        await expect(.withdrawn) { try await scene.publication.update(Sample.level, to: []) }
        await scene.responder.release()
        for await call in scene.responder.calls where call == "ended overflow" { return }
    }
}
