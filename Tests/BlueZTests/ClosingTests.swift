import BLE
import BLEDBus
import BLETesting
import Testing

@testable import BlueZ

@Suite("An adapter that is closed", .timeLimit(.minutes(10)))
struct ClosingTests {
    private let world: World
    private let adapter: Adapter

    init() async throws {
        world = try await World()
        adapter = try await world.open()
    }

    @Test func `waits until its connections are over`() async throws {
        let link = try await world.link(adapter)
        var disconnections = await world.daemon.hold("Disconnect").makeAsyncIterator()
        let closing = Task { await adapter.close() }
        let disconnection = await disconnections.next()
        await world.clock.waitForSleeper(for: Recovery().closingLimit)
        disconnection?.reply()
        await closing.value
        await link.expectEnd()
    }

    @Test func `has ended its connections when another call that closes it returns`() async throws {
        let link = try await world.link(adapter)
        var disconnections = await world.daemon.hold("Disconnect").makeAsyncIterator()
        let closing = Task { await adapter.close() }
        let disconnection = await disconnections.next()
        let other = Task {
            await adapter.close()
            return await adapter.isClosing
        }
        while await adapter.closingWaiters.isEmpty { await Task.yield() }
        disconnection?.reply()
        #expect(await other.value == false)
        await closing.value
        await link.expectEnd()
    }

    @Test func `waits for five seconds at most`() async throws {
        let link = try await world.link(adapter)
        var disconnections = await world.daemon.hold("Disconnect").makeAsyncIterator()
        let closing = Task { await adapter.close() }
        let disconnection = await disconnections.next()
        await world.clock.waitForSleeper(for: .seconds(5))
        await world.clock.advance(by: .seconds(5))
        await closing.value
        disconnection?.reply()
        await link.expectEnd()
    }

    @Test func `need not wait`() async throws {
        let link = try await world.link(adapter)
        var disconnections = await world.daemon.hold("Disconnect").makeAsyncIterator()
        await adapter.close(waitsForDisconnection: false)
        await link.expectEnd()
        await disconnections.next()?.reply()
    }

    /// What is asked over it, by a peer or from here, would go with it.
    @Test func `leaves no connection that is about to end where peers may call`() async throws {
        try await world.advertise()
        let link = try await world.link(adapter)
        var disconnections = await world.daemon.hold("Disconnect").makeAsyncIterator()
        let closing = Task { await adapter.close(waitsForDisconnection: false) }
        let disconnection = await disconnections.next()
        await world.clock.waitForSleeper(for: Recovery().closingLimit)
        disconnection?.reply()
        await closing.value
        await link.expectEnd()
    }

    /// Discovery stops with it, which is a change of the adapter.
    @Test func `waits although its properties change`() async throws {
        let link = try await world.link(adapter)
        var disconnections = await world.daemon.hold("Disconnect").makeAsyncIterator()
        let closing = Task { await adapter.close() }
        let disconnection = await disconnections.next()
        await world.clock.waitForSleeper(for: Recovery().closingLimit)
        try await world.daemon.set(
            ["Discovering": .bool(true)],
            of: Adapter1.interface,
            at: ScriptedDaemon.adapter
        )
        #expect(await adapter.state == .on)
        disconnection?.reply()
        await closing.value
        await link.expectEnd()
    }

    /// An adapter that advertises waits before it ends a link, over which its peer may be asking; for all of them at once.
    @Test func `ends all links at once`() async throws {
        let adapter = try await world.open(servingPause: .seconds(2))
        let other: ObjectPath = "/org/bluez/hci0/dev_00_AA_01_01_00_02"
        try await world.daemon.addDevice(at: other, address: "00:AA:01:01:00:02")
        try await world.advertise()
        for (peer, path) in [
            (World.ball, ScriptedDaemon.device), (PeerID(rawValue: "00:AA:01:01:00:02"), other),
        ] {
            _ = try await adapter.connect(to: peer)
            try await world.daemon.set(
                ["Connected": .bool(true)],
                of: Device1.interface,
                at: path
            )
        }
        let closing = Task { await adapter.close() }
        await world.clock.waitForSleeper(for: .seconds(2), count: 2)
        await world.clock.advance(by: .seconds(2))
        await closing.value
        #expect(await world.daemon.count("Disconnect") == 2)
    }
}
