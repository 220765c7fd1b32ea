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
        await expectEnd(of: link)
    }

    @Test func `waits for three seconds at most`() async throws {
        let link = try await world.link(adapter)
        var disconnections = await world.daemon.hold("Disconnect").makeAsyncIterator()
        let closing = Task { await adapter.close() }
        let disconnection = await disconnections.next()
        await world.clock.waitForSleeper(for: .seconds(3))
        await world.clock.advance(by: .seconds(3))
        await closing.value
        disconnection?.reply()
        await expectEnd(of: link)
    }

    @Test func `need not wait`() async throws {
        let link = try await world.link(adapter)
        var disconnections = await world.daemon.hold("Disconnect").makeAsyncIterator()
        await adapter.close(waitsForDisconnection: false)
        await expectEnd(of: link)
        await disconnections.next()?.reply()
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
        await expectEnd(of: link)
    }

    /// A link's last event is its end, from here.
    private func expectEnd(of link: any Link) async {
        var last: LinkEvent?
        for await event in link.events { last = event }
        guard case .disconnected(nil) = last else {
            Issue.record("it ended with \(String(describing: last))")
            return
        }
    }
}
