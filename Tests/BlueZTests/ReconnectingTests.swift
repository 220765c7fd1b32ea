import BLE
import BLEDBus
import BLEDBusTesting
import BLETesting
import Testing

@testable import BlueZ

@Suite("A connection that fails", .timeLimit(.minutes(10)))
struct ReconnectingTests {
    /// What the pauses between attempts can be.
    private static let pauses: ClosedRange<Duration> = .milliseconds(187)...(.seconds(1))

    private static let abort = ErrorReply(BlueZError.failed, "le-connection-abort-by-local")

    private func pass(_ world: World) async {
        await world.clock.waitForSleeper(for: Self.pauses)
        await world.clock.advance(by: Self.pauses.upperBound)
    }

    @Test(
        arguments: [
            (BlueZError.failed, "le-connection-abort-by-local"),
            (BlueZError.failed, "Software caused connection abort"),
            (BlueZError.failed, "br-connection-canceled"),
            (BlueZError.failed, "le-connection-unknown"),
            (BlueZError.failed, "Operation already in progress"),
            (BlueZError.failed, "Input/output error"),
            (BlueZError.inProgress, "In Progress"),
        ] as [(ErrorName, String)]
    )
    func `is made again when that may help`(name: ErrorName, text: String) async throws {
        let world = try await World()
        let adapter = try await world.open()
        var calls = await world.daemon.hold("Connect").makeAsyncIterator()
        let task = Task { try await adapter.link(to: World.ball) }
        for _ in 1...3 {
            await calls.next()?.fail(ErrorReply(name, text))
            await pass(world)
        }
        await calls.next()?.reply()
        try await world.daemon.addServices()
        try await world.tell(["ServicesResolved": .bool(true)])
        #expect(try await task.value.peer == World.ball)
        #expect(await world.daemon.count("Disconnect") == 0)
        await adapter.close()
    }

    @Test func `is given up after four attempts, and says so`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var calls = await world.daemon.hold("Connect").makeAsyncIterator()
        let task = Task { try await adapter.link(to: World.ball) }
        for attempt in 1...4 {
            await calls.next()?.fail(Self.abort)
            if attempt < 4 { await pass(world) }
        }
        await #expect { _ = try await task.value } throws: { error in
            let message = (error as? RadioError)?.message ?? ""
            return isRadioError(.connectionFailed)(error) && message.contains("tried 4 times")
                && message.contains("le-connection-abort-by-local")
        }
        #expect(await world.daemon.count("Connect") == 4)
        await adapter.close()
    }

    @Test func `is not made again when bluetoothd took its 40 s`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var calls = await world.daemon.hold("Connect").makeAsyncIterator()
        let task = Task { try await adapter.link(to: World.ball) }
        let call = await calls.next()
        await world.clock.advance(by: .seconds(40))
        call?.fail(Self.abort)
        await #expect { _ = try await task.value } throws: { isRadioError(.connectionFailed)($0) }
        #expect(await world.daemon.count("Connect") == 1)
        await adapter.close()
    }

    @Test func `waits until what looks like a link is none`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var calls = await world.daemon.hold("Connect").makeAsyncIterator()
        let task = Task { try await adapter.link(to: World.ball) }
        let call = await calls.next()
        try await world.tell(["Connected": .bool(true)])
        call?.fail(Self.abort)
        await world.clock.waitForSleeper(for: .seconds(2))
        try await world.tell(["Connected": .bool(false)])
        await pass(world)
        await calls.next()?.reply()
        try await world.daemon.addServices()
        try await world.tell(["ServicesResolved": .bool(true)])
        _ = try await task.value
        await adapter.close()
    }

    @Test(arguments: [true, false])
    func `is not made again once there was a link`(isForgotten: Bool) async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await adapter.connect(to: World.ball)
        let task = Task { try await link.discoverServices() }
        if isForgotten {
            try await world.daemon.remove(ScriptedDaemon.device)
        } else {
            try await world.tell(["Connected": .bool(false)])
        }
        await #expect { _ = try await task.value } throws: {
            isRadioError(isForgotten ? .unknownPeer : .peerGone)($0)
        }
        #expect(await world.daemon.count("Connect") == 1)
        await adapter.close()
    }

    /// A moment of an attempt.
    enum Moment: CaseIterable {
        case disconnection, pause, search
    }

    @Test(arguments: Moment.allCases)
    func `ends at once when it is cancelled`(moment: Moment) async throws {
        let world = try await World()
        let adapter = try await world.open()
        var calls = await world.daemon.hold("Connect").makeAsyncIterator()
        let task = Task { try await adapter.link(to: World.ball) }
        let call = await calls.next()
        switch moment {
        case .disconnection:
            try await world.tell(["Connected": .bool(true)])
            call?.fail(Self.abort)
            await world.clock.waitForSleeper(for: .seconds(2))
        case .pause:
            call?.fail(Self.abort)
            await world.clock.waitForSleeper(for: Self.pauses)
        case .search:
            call?.fail(ErrorReply(.unknownObject, "gone"))
            await world.clock.waitForSleeper(for: .seconds(5))
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(await world.daemon.count("Connect") == 1)
        // The next one is another.
        try await world.tell(["Connected": .bool(false)])
        try await world.link(adapter, replyingTo: &calls)
        await adapter.close()
    }

    @Test(arguments: [true, false])
    func `fails at once with the adapter's power, between attempts`(
        isSearching: Bool
    ) async throws {
        let world = try await World()
        let adapter = try await world.open()
        var calls = await world.daemon.hold("Connect").makeAsyncIterator()
        let task = Task { try await adapter.link(to: World.ball) }
        if isSearching {
            await calls.next()?.fail(ErrorReply(.unknownObject, "gone"))
            await world.daemon.wasCalled("StartDiscovery")
        } else {
            await calls.next()?.fail(Self.abort)
            await world.clock.waitForSleeper(for: Self.pauses)
        }
        try await world.daemon.set(
            ["Powered": .bool(false)],
            of: Adapter1.interface,
            at: ScriptedDaemon.adapter
        )
        await #expect { _ = try await task.value } throws: { isRadioError(.off)($0) }
        await adapter.close()
    }

    @Test(arguments: [true, false])
    func `looks for a peer that bluetoothd has forgotten`(isTold: Bool) async throws {
        let world = try await World()
        let adapter = try await world.open()
        if isTold {
            try await world.daemon.remove(ScriptedDaemon.device)
        }
        var calls = await world.daemon.hold("Connect").makeAsyncIterator()
        let task = Task { try await adapter.link(to: World.ball) }
        if !isTold {
            // As bluetoothd answers for an object of which it tells the removal later.
            await calls.next()?.fail(ErrorReply(.unknownObject, "gone"))
            try await world.daemon.remove(ScriptedDaemon.device)
        }
        await world.daemon.wasCalled("StartDiscovery")
        try await world.daemon.addDevice(["RSSI": .int16(-50)])
        await calls.next()?.reply()
        #expect(await world.daemon.count("StopDiscovery") == 1)
        try await world.daemon.addServices()
        try await world.tell(["ServicesResolved": .bool(true)])
        #expect(try await task.value.peer == World.ball)
        await adapter.close()
    }

    /// bluetoothd tells what it has added before what it has removed; the latter may be what was there before.
    @Test func `knows a peer that was made anew as soon as it is heard`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        try await world.daemon.replaceDevice()
        var calls = await world.daemon.hold("Connect").makeAsyncIterator()
        let task = Task { try await adapter.link(to: World.ball) }
        await world.daemon.wasCalled("StartDiscovery")
        try await world.daemon.hear()
        await calls.next()?.reply()
        try await world.daemon.addServices()
        try await world.tell(["ServicesResolved": .bool(true)])
        #expect(try await task.value.peer == World.ball)
        await adapter.close()
    }

    @Test func `looks for a peer that is forgotten before it is called`() async throws {
        let world = try await World()
        let adapter = try await world.open(longestCallPause: .seconds(1))
        try await world.advertise()
        var calls = await world.daemon.hold("Connect").makeAsyncIterator()
        let task = Task { try await adapter.link(to: World.ball) }
        await world.clock.waitForSleeper(for: .zero ... .seconds(1))
        try await world.daemon.remove(ScriptedDaemon.device)
        await world.clock.advance(by: .seconds(1))
        await world.daemon.wasCalled("StartDiscovery")
        try await world.daemon.addDevice(["RSSI": .int16(-50)])
        await calls.next()?.reply()
        try await world.daemon.addServices()
        try await world.tell(["ServicesResolved": .bool(true)])
        #expect(try await task.value.peer == World.ball)
        await adapter.close()
    }

    @Test func `looks for a peer once no connection to another is being made`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var calls = await world.daemon.hold("Connect").makeAsyncIterator()
        let other = Task { try await adapter.connect(to: World.ball) }
        let call = await calls.next()
        let missed: ObjectPath = "/org/bluez/hci0/dev_00_AA_01_01_00_02"
        let task = Task { try await adapter.connect(to: PeerID(rawValue: "00:AA:01:01:00:02")) }
        await world.clock.waitForSleeper(for: adapter.recovery.connectRetryLimit)
        await world.clock.advance(by: adapter.recovery.searchLimit * 2)
        #expect(await world.daemon.count("StartDiscovery") == 0)
        call?.reply()
        _ = try await other.value
        await world.daemon.wasCalled("StartDiscovery")
        try await world.daemon.addDevice(
            ["RSSI": .int16(-50)],
            at: missed,
            address: "00:AA:01:01:00:02"
        )
        await calls.next()?.reply()
        _ = try await task.value
        await adapter.close()
    }

    @Test func `looks for a peer again when another connection was made meanwhile`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let missed: ObjectPath = "/org/bluez/hci0/dev_00_AA_01_01_00_02"
        let task = Task { try await adapter.connect(to: PeerID(rawValue: "00:AA:01:01:00:02")) }
        let (limit, search) = (adapter.recovery.connectRetryLimit, adapter.recovery.searchLimit)
        await world.clock.waitForSleeper(for: search)
        await world.daemon.wasCalled("StartDiscovery")
        var calls = await world.daemon.hold("Connect").makeAsyncIterator()
        let other = Task { try await adapter.connect(to: World.ball) }
        let call = await calls.next()
        await world.clock.advance(by: search)
        await world.clock.waitForSleeper(for: limit - search)
        call?.reply()
        _ = try await other.value
        try await world.daemon.addDevice(
            ["RSSI": .int16(-50)],
            at: missed,
            address: "00:AA:01:01:00:02"
        )
        while await world.daemon.count("Connect") == 1 {
            try await world.daemon.set(
                ["RSSI": .int16(-50)],
                of: Device1.interface,
                at: missed
            )
        }
        await calls.next()?.reply()
        _ = try await task.value
        await adapter.close()
    }

    @Test func `fails when the peer is not heard again in time`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let task = Task {
            try await adapter.connect(to: PeerID(rawValue: "00:00:00:00:00:00"))
        }
        await world.daemon.wasCalled("StartDiscovery")
        await world.clock.pass(.seconds(5))
        await #expect { _ = try await task.value } throws: { error in
            isRadioError(.unknownPeer)(error) && "\(error)".contains("not heard again within 5")
        }
        // Once.
        #expect(await world.daemon.count("StartDiscovery") == 1)
        await world.daemon.wasCalled("StopDiscovery")
        await adapter.close()
    }
}
