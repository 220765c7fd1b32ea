import BLE
import BLEDBus
import BLEDBusTesting
import BLETesting
import Testing

@testable import BlueZ

@Suite("Connecting", .timeLimit(.minutes(10)))
struct ConnectingTests {
    private func resolve(_ world: World, _ isResolved: Bool = true) async throws {
        try await world.daemon.set(
            ["ServicesResolved": .bool(isResolved)],
            of: Device1.interface,
            at: ScriptedDaemon.device
        )
    }

    @Test func `waits for the services, not for the signal of the connection`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let task = Task { try await adapter.link(to: World.ball) }
        await world.daemon.wasCalled("Connect")
        try await world.daemon.addServices()
        try await resolve(world)
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
        try await resolve(world)
        #expect(try await services.value.map(\.uuid) == [World.service])
        await adapter.close()
    }

    @Test func `returns over a link that was there, though the system does not read its services`()
        async throws
    {
        let world = try await World()
        try await world.daemon.set(
            ["Connected": .bool(true)],
            of: Device1.interface,
            at: ScriptedDaemon.device
        )
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
        try await resolve(world)
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
        try await resolve(world)
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

    @Test(arguments: [true, false])
    func `takes the attempt back when it is cancelled`(isLinked: Bool) async throws {
        let world = try await World()
        let adapter = try await world.open()
        var calls = await world.daemon.hold("Connect").makeAsyncIterator()
        let task = Task { try await adapter.link(to: World.ball) }
        let call = await calls.next()
        if isLinked { call?.reply() }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        await world.daemon.wasCalled("Disconnect")
        // The next attempt is another one.
        let next = Task { try await adapter.link(to: World.ball) }
        await calls.next()?.reply()
        try await world.daemon.addServices()
        try await resolve(world)
        _ = try await next.value
        await adapter.close()
    }

    /// Found by a schedule.
    ///
    /// bluetoothd shows the link of the attempt before as there until it has ended it; that is none of
    /// another program, which would be left alone.
    @Test func `is ended when it is cancelled while the one before is being ended`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var connects = await world.daemon.hold("Connect").makeAsyncIterator()
        var disconnects = await world.daemon.hold("Disconnect").makeAsyncIterator()
        var unanswered: [MethodCall?] = []
        for _ in 0..<2 {
            let task = Task { try await adapter.connect(to: World.ball) }
            unanswered.append(await connects.next())
            try await world.daemon.set(
                ["Connected": .bool(true)],
                of: Device1.interface,
                at: ScriptedDaemon.device
            )
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            unanswered.append(await disconnects.next())
        }
        #expect(await world.daemon.count("Disconnect") == 2)
        await adapter.close(waitsForDisconnection: false)
        withExtendedLifetime(unanswered) {}
    }

    @Test func `leaves another program's link alone when it is cancelled before it knows of that`()
        async throws
    {
        let world = try await World()
        try await world.daemon.set(
            ["Connected": .bool(true)],
            of: Device1.interface,
            at: ScriptedDaemon.device
        )
        let adapter = try await world.open()
        var questions = await world.daemon.holdQuestions(for: "Connected").makeAsyncIterator()
        let task = Task { try await adapter.connect(to: World.ball) }
        let question = await questions.next()
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        await world.daemon.untilHandled()
        #expect(await world.daemon.count("Disconnect") == 0)
        await adapter.close()
        withExtendedLifetime(question) {}
    }

    @Test func `leaves another program's link alone when it is closed while the discovery stops`()
        async throws
    {
        let world = try await World()
        try await world.daemon.set(
            ["Connected": .bool(true)],
            of: Device1.interface,
            at: ScriptedDaemon.device
        )
        let adapter = try await world.open()
        let events = try await adapter.scan(ScanFilter())
        var stops = await world.daemon.hold("StopDiscovery").makeAsyncIterator()
        let task = Task { try await adapter.connect(to: World.ball) }
        let stop = await stops.next()
        await adapter.close(waitsForDisconnection: false)
        await #expect { _ = try await task.value } throws: { isRadioError(.absent)($0) }
        await world.daemon.untilHandled()
        #expect(await world.daemon.count("Disconnect") == 0)
        withExtendedLifetime((events, stop)) {}
    }

    /// How an attempt may end before its time.
    enum Loss: CaseIterable {
        case power, adapter, daemon, bus

        var code: RadioError.Code {
            switch self {
            case .power: .off
            case .adapter: .absent
            case .daemon, .bus: .noService
            }
        }
    }

    @Test(arguments: Loss.allCases)
    func `fails at once with what it depends on`(loss: Loss) async throws {
        let world = try await World()
        let adapter = try await world.open()
        let task = Task { try await adapter.link(to: World.ball) }
        await world.daemon.wasCalled("Connect")
        switch loss {
        case .power:
            try await world.daemon.set(
                ["Powered": .bool(false)],
                of: Adapter1.interface,
                at: ScriptedDaemon.adapter
            )
        case .adapter:
            try await world.daemon.remove(ScriptedDaemon.adapter)
        case .daemon:
            await world.daemon.stop()
        case .bus:
            world.bus.stop()
        }
        await #expect { _ = try await task.value } throws: { isRadioError(loss.code)($0) }
        await adapter.close()
    }

    @Test func `is taken back with its adapter's closing`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var calls = await world.daemon.hold("Connect").makeAsyncIterator()
        let task = Task { try await adapter.link(to: World.ball) }
        let call = await calls.next()
        await adapter.close()
        await #expect { _ = try await task.value } throws: { isRadioError(.absent)($0) }
        await world.daemon.wasCalled("Disconnect")
        await #expect {
            _ = try await adapter.link(to: World.ball)
        } throws: {
            isRadioError(.absent)($0)
        }
        withExtendedLifetime(call) {}
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
        try await world.daemon.set(
            ["ServicesResolved": .bool(false), "Connected": .bool(false)],
            of: Device1.interface,
            at: ScriptedDaemon.device
        )
        disconnect?.reply()
        await world.daemon.wasCalled("Connect")
        try await resolve(world)
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
