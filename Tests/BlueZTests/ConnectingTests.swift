import BLE
import BLEDBus
import BLEDBusTesting
import BLETesting
import Testing

@testable import BlueZ

@Suite("Connecting", .timeLimit(.minutes(10)))
struct ConnectingTests {
    @Test func `waits for the services, not for the signal of the connection`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let task = Task { try await adapter.link(to: World.ball) }
        await world.daemon.wasCalled("Connect")
        try await world.daemon.addServices()
        try await world.tell(["ServicesResolved": .bool(true)])
        let link = try await task.value
        #expect(link.peer == World.ball)
        #expect(await link.mtuBytes == 517)
        let services = await link.services
        #expect(services.map(\.uuid) == [World.service])
        #expect(
            services.first?.characteristics.map(\.properties) == [[.write], [.read, .notify]]
        )
        await adapter.close()
    }

    /// A schedule has found that each made an attempt, at times: AdapterScheduleTests, seed 31.
    @Test func `makes one attempt for all who ask in the same moment`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let tasks = (0..<8).map { _ in Task { try await adapter.connect(to: World.ball) } }
        var links: [any Link] = []
        for task in tasks { links.append(try await task.value) }
        #expect(await world.daemon.count("Connect") == 1)
        for link in links { await link.disconnect() }
        await world.daemon.wasCalled("Disconnect")
        await adapter.close()
    }

    @Test func `returns when there is a link, before it knows the services`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await adapter.connect(to: World.ball)
        #expect(link.peer == World.ball)
        #expect(await link.services.isEmpty)
        let services = Task { try await link.discoverServices() }
        try await world.daemon.addServices()
        try await world.tell(["ServicesResolved": .bool(true)])
        #expect(try await services.value.map(\.uuid) == [World.service])
        await adapter.close()
    }

    @Test func `returns over a link that was there, though the system does not read its services`()
        async throws
    {
        let world = try await World()
        try await world.tell(["Connected": .bool(true)])
        let adapter = try await world.open()
        let task = Task { try await adapter.connect(to: World.ball) }
        await world.clock.waitForSleeper(for: adapter.recovery.sharedResolutionLimit)
        #expect(await world.daemon.count("Connect") == 0)
        await world.clock.advance(by: adapter.recovery.sharedResolutionLimit)
        await world.daemon.wasCalled("Connect")
        let link = try await task.value
        #expect(link.peer == World.ball)
        #expect(await link.services.isEmpty)
        await adapter.close()
    }

    @Test func `waits for services that are told after they were resolved`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let task = Task { try await adapter.link(to: World.ball) }
        await world.daemon.wasCalled("Connect")
        try await world.tell(["ServicesResolved": .bool(true)])
        // The adapter asks for something, to hear what was told before the reply.
        var lateCall = await world.daemon.hold("WriteValue").makeAsyncIterator()
        try await world.daemon.addServices()
        let link = try await task.value
        let write = Task { try await link.write([1], to: World.question) }
        await lateCall.next()?.reply()
        try await write.value
        await adapter.close()
    }

    /// bluetoothd keeps the objects of a device for a while, and tells the MTU with new ones alone.
    @Test func `asks for the packet size where the services were known before`() async throws {
        let world = try await World()
        try await world.daemon.addServices()
        let adapter = try await world.open()
        let task = Task { try await adapter.link(to: World.ball) }
        await world.daemon.wasCalled("Connect")
        try await world.tell(["ServicesResolved": .bool(true)])
        let link = try await task.value
        #expect(await link.mtuBytes == 517)
        await adapter.close()
    }

    @Test func `takes over a link that is there already, and leaves it there`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.foreignLink(adapter)
        #expect(await link.services.count == 1)
        await link.disconnect()
        let next = try await world.foreignLink(adapter)
        #expect(next !== link)
        await adapter.close()
        #expect(await world.daemon.count("Disconnect") == 0)
    }

    @Test func `hands the end of a link over before any of two calls for it returns`() async throws
    {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        try await link.subscribe(to: World.answer)
        var stops = await world.daemon.hold("StopNotify").makeAsyncIterator()
        let first = Task { await link.disconnect() }
        let stop = await stops.next()
        let second = Task { await link.disconnect() }
        while await link.device.releases.count < 2 { await Task.yield() }
        #expect(await world.daemon.count("Disconnect") == 0)
        stop?.reply()
        await first.value
        await second.value
        await world.daemon.wasCalled("Disconnect")
        await adapter.close()
    }

    @Test func `unsubscribes when one of two that asked at once has left, and the other gives up`()
        async throws
    {
        let world = try await World()
        let adapter = try await world.open()
        let one = try await world.link(adapter)
        let other = try await adapter.link(to: World.ball)
        var calls = await world.daemon.hold("StartNotify").makeAsyncIterator()
        let first = Task { try await one.subscribe(to: World.answer) }
        let call = await calls.next()
        let second = Task { try await other.subscribe(to: World.answer) }
        while await one.device.queue.count(at: ScriptedDaemon.answer) < 2 { await Task.yield() }
        call?.reply()
        try await first.value
        try await one.unsubscribe(from: World.answer)
        #expect(await world.daemon.count("StopNotify") == 0)
        let late = await calls.next()
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        late?.reply()
        await world.daemon.wasCalled("StopNotify")
        await adapter.close()
    }

    @Test func `unsubscribes when the link that asked has ended before the reply`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let one = try await world.link(adapter)
        let other = try await adapter.link(to: World.ball)
        var calls = await world.daemon.hold("StartNotify").makeAsyncIterator()
        let task = Task { try await one.subscribe(to: World.answer) }
        let call = await calls.next()
        await one.disconnect()
        call?.reply()
        await #expect { try await task.value } throws: { isRadioError(.peerGone)($0) }
        await world.daemon.wasCalled("StopNotify")
        #expect(await world.daemon.count("Disconnect") == 0)
        await other.disconnect()
        await adapter.close()
    }

    @Test func `subscribes where a service has moved to while it waited for other programs`()
        async throws
    {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.foreignLink(adapter)
        // Whether the link is being ended was asked so.
        await world.daemon.wasCalled("StopNotify")
        let subscribing = Task { try await link.subscribe(to: World.answer) }
        await world.clock.waitForSleeper(for: Recovery().otherSubscriptionLimit)
        let service = try ScriptedDaemon.device.appending("service0025")
        try await world.daemon.addServices(at: service)
        try await world.daemon.remove(
            ScriptedDaemon.answer,
            ScriptedDaemon.question,
            ScriptedDaemon.service
        )
        await world.clock.advance(by: Recovery().otherSubscriptionLimit)
        try await subscribing.value
        await world.daemon.untilHandled()
        try #require(await world.daemon.count("StopNotify") == 1)
        try await world.daemon.set(
            ["Value": .bytes([1])],
            of: GattCharacteristic1.interface,
            at: service.appending("char0018")
        )
        for await event in link.events where event.value == [1] { break }
        await adapter.close()
    }

    @Test func `shares the connection that there is, until the last has left`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let first = try await world.link(adapter)
        try await first.subscribe(to: World.answer)
        let second = try await adapter.link(to: World.ball)
        #expect(await world.daemon.count("Connect") == 1)
        try await second.subscribe(to: World.answer)
        #expect(await world.daemon.count("StartNotify") == 1)
        try await world.daemon.notify([1])
        for link in [first, second] {
            var events = link.events.makeAsyncIterator()
            #expect(await events.next()?.value == [1])
        }
        await first.disconnect()
        #expect(await world.daemon.count("StopNotify") == 0)
        #expect(await world.daemon.count("Disconnect") == 0)
        await #expect { _ = try await first.read(World.answer) } throws: {
            isRadioError(.peerGone)($0)
        }
        try await world.daemon.notify([2])
        var events = second.events.makeAsyncIterator()
        #expect(await events.next()?.value == [2])
        await second.disconnect()
        await world.daemon.wasCalled("Disconnect")
        #expect(await world.daemon.count("Disconnect") == 1)
        await adapter.close()
    }

    @Test func `waits for an attempt that is under way, and makes its own if that fails`()
        async throws
    {
        let world = try await World()
        let adapter = try await world.open()
        var calls = await world.daemon.hold("Connect").makeAsyncIterator()
        let first = Task { try await adapter.connect(to: World.ball) }
        let held = await calls.next()
        let second = Task { try await adapter.connect(to: World.ball) }
        await adapter.hasAttempt(to: World.ball, waiting: 1)
        first.cancel()
        await #expect(throws: CancellationError.self) { _ = try await first.value }
        held?.fail(ErrorReply(BlueZError.failed, "le-connection-abort-by-local"))
        await calls.next()?.reply()
        #expect(try await second.value.peer == World.ball)
        await adapter.close()
    }

    @Test func `pauses the discovery meanwhile`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var events = try await adapter.scan(ScanFilter()).makeAsyncIterator()
        var stops = await world.daemon.hold("StopDiscovery").makeAsyncIterator()
        var connects = await world.daemon.hold("Connect").makeAsyncIterator()
        let task = Task { try await adapter.connect(to: World.ball) }
        let stop = await stops.next()
        #expect(await world.daemon.count("Connect") == 0)
        stop?.reply()
        let connect = await connects.next()
        #expect(await world.daemon.count("StartDiscovery") == 1)
        // One that begins now returns at once.
        var late = try await adapter.scan(ScanFilter()).makeAsyncIterator()
        connect?.reply()
        _ = try await task.value
        try await world.daemon.hear()
        _ = try await events.next()
        _ = try await late.next()
        #expect(await world.daemon.count("StartDiscovery") == 2)
        await adapter.close()
    }

    @Test(
        arguments: [
            ("org.bluez.Error.Failed", "le-connection-gatt-browsing", .connectionFailed),
            ("org.bluez.Error.Failed", "le-connection-concurrent-connection-limit", .limitReached),
            ("org.bluez.Error.Failed", "le-connection-adapter-not-powered", .off),
            ("org.bluez.Error.NotReady", "Resource Not Ready", .off),
        ] as [(String, String, RadioError.Code)]
    )
    func `fails as bluetoothd says`(
        name: String,
        text: String,
        code: RadioError.Code
    ) async throws {
        let world = try await World()
        let adapter = try await world.open()
        var calls = await world.daemon.hold("Connect").makeAsyncIterator()
        let task = Task { try await adapter.link(to: World.ball) }
        await calls.next()?.fail(ErrorReply(ErrorName(rawValue: name), text))
        await #expect { _ = try await task.value } throws: { error in
            let message = (error as? RadioError)?.message ?? ""
            return isRadioError(code)(error) && message.contains(text)
        }
        #expect(await world.daemon.count("Disconnect") == 0)
        await adapter.close()
    }

    @Test func `again waits until the link before it has ended`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        var disconnects = await world.daemon.hold("Disconnect").makeAsyncIterator()
        await link.disconnect()
        let disconnect = await disconnects.next()
        let task = Task { try await adapter.link(to: World.ball) }
        #expect(await world.daemon.count("Connect") == 1)
        try await world.tell(["ServicesResolved": .bool(false), "Connected": .bool(false)])
        disconnect?.reply()
        await world.daemon.wasCalled("Connect")
        try await world.tell(["ServicesResolved": .bool(true)])
        let next = try await task.value
        #expect((next as? RemoteLink)?.device !== link.device)
        #expect(await world.daemon.count("Connect") == 2)
        // Nobody replies.
        await adapter.close(waitsForDisconnection: false)
    }
}

extension Adapter {
    /// Waits until as many callers wait for the end of an attempt to connect.
    fileprivate func hasAttempt(to peer: PeerID, waiting count: Int) async {
        while (connecting[peer]?.count ?? 0) < count { await Task.yield() }
    }
}
