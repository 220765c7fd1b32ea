import BLE
import BLEDBus
import BLETesting
import Testing
import VirtualBlueZ

@testable import BlueZ

/// When `Connect` is called, and what counts as a connection.
@Suite("Calling a peer", .timeLimit(.minutes(10)))
struct CallingTests {
    /// Shows a connection and its services, or its end.
    private func show(_ isConnected: Bool, in world: World) async throws {
        try await world.tell([
            "ServicesResolved": .bool(isConnected), "Connected": .bool(isConnected),
        ])
    }

    @Test func `calls nobody who is connected already`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.foreignLink(adapter)
        #expect(await link.services.count == 1)
        #expect(await world.daemon.count("Connect") == 0)
        await adapter.close()
    }

    @Test(arguments: [true, false])
    func `goes on with a link that is shown, though the call is not replied to`(
        isSignalled: Bool
    ) async throws {
        let world = try await World()
        let adapter = try await world.open()
        var calls = await world.daemon.hold("Connect").makeAsyncIterator()
        let task = Task { try await adapter.link(to: World.ball) }
        let call = await calls.next()
        try await world.daemon.addServices()
        if isSignalled {
            try await show(true, in: world)
        } else {
            try await world.daemon.hide(
                ["ServicesResolved": .bool(true), "Connected": .bool(true)],
                of: Device1.interface,
                at: ScriptedDaemon.device
            )
            await world.clock.pass(adapter.recovery.connectInquiryPause)
        }
        await world.clock.pass(adapter.recovery.connectReplyLimit)
        let link = try await task.value
        #expect(await link.services.count == 1)
        // The reply comes late, and no longer counts.
        call?.fail(ErrorReply(BlueZError.failed, "le-connection-abort-by-local"))
        try await link.write([1], to: World.question)
        await adapter.close()
    }

    @Test func `has a link though a real call's reply is lost`() async throws {
        let pair = try await Pair()
        _ = try await pair.answering.publish(responder: pair.responder)
        await pair.daemon.simulateCallFault(.lostReply, on: "org.bluez.Device1.Connect")
        let link = try await pair.connect()
        try await link.write([1], to: World.question)
        await pair.close()
    }

    @Test func `says that a wedged adapter makes no connection, until its power was off`()
        async throws
    {
        let pair = try await Pair()
        _ = try await pair.answering.publish(responder: pair.responder)
        let peer = try await pair.find().peer
        await pair.daemon.simulateWedge(of: 0)
        await #expect { _ = try await pair.asking.connect(to: peer) } throws: { error in
            isRadioError(.connectionFailed)(error) && "\(error)".contains("tried 4 times")
        }
        var states = await pair.asking.states().makeAsyncIterator()
        await pair.daemon.simulatePowerOff(of: 0)
        while await states.next() != .off {}
        await pair.daemon.simulatePowerOn(of: 0)
        while await states.next() != .on {}
        let link = try await pair.asking.link(to: peer)
        try await link.write([1], to: World.question)
        await pair.close()
    }

    @Test func `waits for services that are resolved late`() async throws {
        let pair = try await Pair()
        _ = try await pair.answering.publish(responder: pair.responder)
        let peer = try await pair.find().peer
        await pair.daemon.simulateResolution(.late(by: .seconds(1)), at: 0, of: 1)
        let link = try await pair.asking.connect(to: peer)
        #expect(try await link.discoverServices().isEmpty == false)
        await pair.close()
    }

    @Test func `waits before it ends a link while the adapter advertises`() async throws {
        let world = try await World()
        let adapter = try await world.open(servingPause: .seconds(2))
        let link = try await world.link(adapter)
        try await world.advertise()
        let leaving = Task { await link.disconnect() }
        await world.clock.waitForSleeper(for: .seconds(2))
        #expect(await world.daemon.count("Disconnect") == 0)
        await world.clock.advance(by: .seconds(2))
        await leaving.value
        await world.daemon.wasCalled("Disconnect")
        await adapter.close()
    }

    @Test func `waits for half a second after a link has ended`() async throws {
        let world = try await World()
        let adapter = try await world.open(linkPause: .milliseconds(500))
        let link = try await world.link(adapter)
        try await show(false, in: world)
        for await _ in link.events {}
        let task = Task { try await adapter.connect(to: World.ball) }
        await world.clock.waitForSleeper(for: .milliseconds(500))
        #expect(await world.daemon.count("Connect") == 1)
        await world.clock.advance(by: .milliseconds(500))
        _ = try await task.value
        #expect(await world.daemon.count("Connect") == 2)
        await adapter.close()
    }

    @Test func `waits for a random time while the adapter advertises, unless told otherwise`()
        async throws
    {
        let world = try await World()
        let adapter = try await world.open(longestCallPause: .milliseconds(800))
        try await world.advertise()
        let task = Task { try await adapter.link(to: World.ball) }
        await world.clock.waitForSleeper(for: .zero ... .milliseconds(800))
        #expect(await world.daemon.count("Connect") == 0)
        // The peer has called meanwhile.
        try await world.daemon.addServices()
        try await show(true, in: world)
        await world.clock.advance(by: .milliseconds(800))
        let link = try await task.value
        #expect(await world.daemon.count("Connect") == 0)
        await link.disconnect()
        try await show(false, in: world)
        _ = try await adapter.connect(to: World.ball, options: .immediately)
        #expect(await world.daemon.count("Connect") == 1)
        await adapter.close()
    }
}
