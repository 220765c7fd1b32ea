import BLE
import BLEDBus
import BLEDBusTesting
import BLETesting
import Testing
import VirtualBlueZ

@testable import BlueZ

@Suite("A device that took its service back", .timeLimit(.minutes(10)))
struct StaleServicesTests {
    private func withdraw(_ world: World) async throws {
        try await world.daemon.remove(
            ScriptedDaemon.question,
            ScriptedDaemon.answer,
            ScriptedDaemon.service
        )
    }

    @Test func `is forgotten in place of being disconnected`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        try await withdraw(world)
        var removals = await world.daemon.hold("RemoveDevice").makeAsyncIterator()
        await link.disconnect()
        let removal = await removals.next()
        #expect(try removal?.message.body() == [.objectPath(ScriptedDaemon.device)])
        try await world.daemon.remove(ScriptedDaemon.device)
        removal?.reply()
        await link.expectEnd()
        #expect(await world.daemon.count("Disconnect") == 0)
        await adapter.close()
    }

    /// bluetoothd keeps attributes over links, and a peer need not say that it has others.
    @Test(arguments: [("0x01", true), ("0x0a", true), ("0x12", true), ("0x80", false)])
    func `is forgotten when it refuses attributes that it once had`(
        code: String,
        isForgotten: Bool
    ) async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        var writes = await world.daemon.hold("WriteValue").makeAsyncIterator()
        let write = Task { try await link.write([1], to: World.question) }
        let text = "Operation failed with ATT error: \(code)"
        await writes.next()?.fail(ErrorReply(BlueZError.failed, text))
        await #expect(throws: ATTError.self) { try await write.value }
        await link.disconnect()
        await world.daemon.wasCalled(isForgotten ? "RemoveDevice" : "Disconnect")
        #expect(await world.daemon.count("RemoveDevice") == (isForgotten ? 1 : 0))
        await adapter.close()
    }

    /// Whoever has made the link, it is of no use as it is.
    @Test(arguments: [false, true])
    func `is forgotten when it refuses what is shown over another's link`(
        isSubscribed: Bool
    ) async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.foreignLink(adapter)
        if isSubscribed {
            try await world.daemon.set(
                ["Notifying": .bool(true)],
                of: GattCharacteristic1.interface,
                at: ScriptedDaemon.answer
            )
        }
        var writes = await world.daemon.hold("WriteValue").makeAsyncIterator()
        let write = Task { try await link.write([1], to: World.question) }
        let text = "Operation failed with ATT error: 0x01"
        await writes.next()?.fail(ErrorReply(BlueZError.failed, text))
        await #expect(throws: ATTError.self) { try await write.value }
        #expect(await link.forgetServices())
        await link.disconnect()
        if !isSubscribed { await world.daemon.wasCalled("RemoveDevice") }
        #expect(await world.daemon.count("RemoveDevice") == (isSubscribed ? 0 : 1))
        await adapter.close()
    }

    /// Whoever connects may know better what a peer should have.
    @Test func `is forgotten when its link says so`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        #expect(await link.forgetServices())
        #expect(await world.daemon.count("RemoveDevice") == 0)
        await link.disconnect()
        await world.daemon.wasCalled("RemoveDevice")
        #expect(await world.daemon.count("Disconnect") == 0)
        #expect(await !link.forgetServices())
        await adapter.close()
    }

    @Test func `is not forgotten while another link uses the connection`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let links: [any Link] = [
            try await world.link(adapter), try await adapter.connect(to: World.ball),
        ]
        for link in links { #expect(await !link.forgetServices()) }
        await links[0].disconnect()
        #expect(await links[1].forgetServices())
        await links[1].disconnect()
        await world.daemon.wasCalled("RemoveDevice")
        await adapter.close()
    }

    /// Objects go one by one, and whoever hears of the first may end the link at once.
    @Test func `is forgotten while bluetoothd still shows that it notifies`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        try await link.subscribe(to: World.answer)
        try await world.daemon.set(
            ["Notifying": .bool(true)],
            of: GattCharacteristic1.interface,
            at: ScriptedDaemon.answer
        )
        try await world.daemon.remove(ScriptedDaemon.question)
        await link.disconnect()
        await world.daemon.wasCalled("RemoveDevice")
        #expect(await world.daemon.count("Disconnect") == 0)
        await adapter.close()
    }

    @Test func `is forgotten when it ends the link`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        _ = try await world.link(adapter)
        try await withdraw(world)
        try await world.tell(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        await world.daemon.wasCalled("RemoveDevice")
        await adapter.close()
    }

    @Test func `is disconnected at least`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        try await withdraw(world)
        var removals = await world.daemon.hold("RemoveDevice").makeAsyncIterator()
        await link.disconnect()
        await removals.next()?.fail(ErrorReply(BlueZError.failed, "no"))
        await world.daemon.wasCalled("Disconnect")
        await adapter.close()
    }

    @Test(arguments: ["Paired", "Bonded", "Trusted", "Blocked"])
    func `is not forgotten when somebody wants it remembered`(property: String) async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        try await world.tell([property: .bool(true)])
        try await withdraw(world)
        #expect(await !link.forgetServices())
        await link.disconnect()
        await world.daemon.wasCalled("Disconnect")
        #expect(await world.daemon.count("RemoveDevice") == 0)
        await adapter.close()
    }

    @Test(arguments: [true, false])
    func `is not forgotten when the service is back, or the link another's`(
        isBack: Bool
    ) async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await isBack ? world.link(adapter) : world.foreignLink(adapter)
        try await withdraw(world)
        if isBack {
            try await world.daemon.addServices()
        } else {
            #expect(await !link.forgetServices())
        }
        await link.disconnect()
        if isBack { await world.daemon.wasCalled("Disconnect") }
        #expect(await world.daemon.count("RemoveDevice") == 0)
        await adapter.close()
    }

    /// bluetoothd shows the objects of the link before until it has discovered the services again.
    @Test func `has lost nothing on a link over which it was discovered anew`() async throws {
        let world = try await World()
        try await world.daemon.addServices()
        let adapter = try await world.open()
        let link = try await adapter.connect(to: World.ball)
        try await withdraw(world)
        try await world.daemon.addServices()
        try await world.tell(["Connected": .bool(true), "ServicesResolved": .bool(true)])
        _ = try await link.discoverServices()
        try await link.write([1], to: World.question)
        await link.disconnect()
        var events: [LinkEvent] = []
        for await event in link.events { events.append(event) }
        guard events.count == 1, case .disconnected(nil) = events.first else {
            Issue.record("\(events)")
            return
        }
        #expect(await world.daemon.count("RemoveDevice") == 0)
        await adapter.close()
    }

    /// As when a neighbour in a mesh is killed: it was subscribed here as well, through a socket or without.
    @Test(
        arguments: [
            (BlueZVersion.v5_66, "service0008/char0009", []),
            (.v5_82, "service0006/char0007", .individualNotifications),
        ] as [(BlueZVersion, String, PublicationOptions)]
    )
    func `is asked for its services when a central unsubscribes`(
        version: BlueZVersion,
        serviceChanged: String,
        options: PublicationOptions
    ) async throws {
        let pair = try await Pair(version)
        let responder = ScriptedResponder()
        let own = try await pair.asking.publish(options: options, responder: responder)
        let (publication, link) = try await pair.meet()
        let back = try await pair.answering.link(to: PeerID(rawValue: "00:AA:01:00:00:00"))
        try await back.subscribe(to: World.answer)
        // It learns of no change from now on.
        let other = try await Connection.open(BusAddress(pair.bus.address))
        for member in ["StartNotify", "StopNotify"] {
            let changed = try ObjectPath("/org/bluez/hci0/dev_00_AA_01_01_00_01/\(serviceChanged)")
            let interface = GattCharacteristic1.interface
            _ = try await other.call(.bluez(changed, interface, member))
        }
        await publication.withdraw()
        try await back.unsubscribe(from: World.answer)
        for await event in link.events {
            guard case .servicesInvalidated(let services) = event else { continue }
            #expect(services == [World.service])
            break
        }
        await own.withdraw()
        await other.close()
        await pair.close()
    }

    @Test func `is found again by what it advertises`() async throws {
        let pair = try await Pair()
        let (publication, link) = try await pair.meet()
        await publication.withdraw()
        for await case .servicesInvalidated in link.events { break }
        await link.disconnect()
        let again = try await pair.answering.publish(responder: pair.responder)
        let next = try await pair.connect()
        try await next.subscribe(to: World.answer)
        await again.withdraw()
        await pair.close()
    }

    /// bluetoothd keeps a link for a while after it was asked to end it, and its peer may have heard of the end over that link.
    ///
    /// Versions differ in whether the reply comes before the signal.
    @Test(arguments: [true, false])
    func `is forgotten when it took its service back while the link ended`(
        isRepliedFirst: Bool
    ) async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        var disconnections = await world.daemon.hold("Disconnect").makeAsyncIterator()
        await link.disconnect()
        let disconnection = await disconnections.next()
        try await withdraw(world)
        #expect(await world.daemon.count("RemoveDevice") == 0)
        if isRepliedFirst { disconnection?.reply() }
        try await world.tell(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        if !isRepliedFirst { disconnection?.reply() }
        await world.daemon.wasCalled("RemoveDevice")
        await adapter.close()
        #expect(await world.daemon.count("RemoveDevice") == 1)
    }

    /// Only a link that is there may be carrying something.
    @Test func `is forgotten without a pause by who advertises`() async throws {
        let world = try await World()
        let adapter = try await world.open(servingPause: .seconds(2))
        let link = try await world.link(adapter)
        try await world.advertise()
        var disconnections = await world.daemon.hold("Disconnect").makeAsyncIterator()
        async let disconnecting: Void = link.disconnect()
        await world.clock.pass(.seconds(2))
        await disconnecting
        let disconnection = await disconnections.next()
        try await withdraw(world)
        try await world.tell(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        disconnection?.reply()
        await world.daemon.wasCalled("RemoveDevice")
        await adapter.close()
    }

    @Test(arguments: [false, true])
    func `is found again when it took its service back while the link ended`(
        isClosed: Bool
    ) async throws {
        let pair = try await Pair()
        let (publication, link) = try await pair.meet()
        await link.disconnect()
        async let closing: Void? = isClosed ? pair.asking.close() : nil
        await publication.withdraw()
        await closing
        for await _ in link.events {}
        let again = try await pair.answering.publish(responder: pair.responder)
        let address = BusAddress(pair.bus.address)
        let asking = isClosed ? try await Adapter.open("hci0", at: address) : pair.asking
        let filter = ScanFilter(service: World.service)
        for try await case .seen in try await asking.scan(filter) { break }
        await again.withdraw()
        await asking.close()
        await pair.close()
    }
}
