import BLE
import BLEDBus
import BLEDBusTesting
import Testing

@testable import BlueZ

@Suite("Losing a peer", .timeLimit(.minutes(10)))
struct LosingTests {
    /// Each way in which a peer goes.
    enum Loss: CaseIterable {
        case disconnected, unresolved, both, forgotten, powerOff, unplugged, daemon, bus

        var code: RadioError.Code {
            switch self {
            case .disconnected, .unresolved, .both: .peerGone
            case .forgotten: .unknownPeer
            case .powerOff: .off
            case .unplugged: .absent
            case .daemon, .bus: .noService
            }
        }

        func happen(in world: World) async throws {
            switch self {
            case .disconnected: try await world.tell(["Connected": .bool(false)])
            case .unresolved: try await world.tell(["ServicesResolved": .bool(false)])
            case .both:
                try await world.tell(["Connected": .bool(false), "ServicesResolved": .bool(false)])
            case .forgotten: try await world.daemon.remove(ScriptedDaemon.device)
            case .powerOff:
                try await world.daemon.set(
                    ["Powered": .bool(false)],
                    of: Adapter1.interface,
                    at: ScriptedDaemon.adapter
                )
            case .unplugged: try await world.daemon.remove(ScriptedDaemon.adapter)
            case .daemon: await world.daemon.stop()
            case .bus: world.bus.stop()
            }
        }
    }

    @Test(arguments: Loss.allCases)
    func `fails all that waits at once, and is told once`(loss: Loss) async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        try await link.subscribe(to: World.answer)
        var writes = await world.daemon.hold("WriteValue").makeAsyncIterator()
        var reads = await world.daemon.hold("ReadValue").makeAsyncIterator()
        let pending = Task { try await link.write([1], to: World.question) }
        let read = Task { try await link.read(World.answer) }
        // Never replied to, as newer versions leave some.
        let calls = (await writes.next(), await reads.next())
        let queued = Task { try await link.write([2], to: World.question) }
        await link.device.hasQueued(2)

        try await loss.happen(in: world)
        await #expect { try await pending.value } throws: { isRadioError(loss.code)($0) }
        await #expect { try await queued.value } throws: { isRadioError(loss.code)($0) }
        await #expect { _ = try await read.value } throws: { isRadioError(loss.code)($0) }
        await #expect {
            try await link.write([3], to: World.question)
        } throws: {
            isRadioError(loss.code)($0)
        }
        var events: [LinkEvent] = []
        for await event in link.events { events.append(event) }
        #expect(events.count == 1)
        guard case .disconnected(let error) = events.first else {
            Issue.record("the end was not told")
            return
        }
        #expect(error?.code == loss.code)
        #expect(await link.services.isEmpty)
        try await link.unsubscribe(from: World.answer)
        await link.disconnect()
        await adapter.close()
        withExtendedLifetime(calls) {}
    }

    @Test func `leaves no subscription with bluetoothd`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        try await link.subscribe(to: World.answer)
        try await Loss.both.happen(in: world)
        await world.daemon.wasCalled("StopNotify")
        #expect(await world.daemon.count("Disconnect") == 0)
        await adapter.close()
    }

    @Test func `ends with its own disconnection, and then only without a reason`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        var writes = await world.daemon.hold("WriteValue").makeAsyncIterator()
        let pending = Task { try await link.write([1], to: World.question) }
        let call = await writes.next()
        var disconnects = await world.daemon.hold("Disconnect").makeAsyncIterator()
        await link.disconnect()
        await #expect { try await pending.value } throws: { isRadioError(.peerGone)($0) }
        await #expect { _ = try await link.read(World.answer) } throws: {
            isRadioError(.peerGone)($0)
        }
        let disconnect = await disconnects.next()
        try await Loss.unresolved.happen(in: world)
        disconnect?.reply()
        try await Loss.disconnected.happen(in: world)
        var events: [LinkEvent] = []
        for await event in link.events { events.append(event) }
        #expect(events.count == 1)
        guard case .disconnected(nil) = events.first else {
            Issue.record("the end was not told, or with a reason")
            return
        }
        #expect(await world.daemon.count("Disconnect") == 1)
        await adapter.close()
        withExtendedLifetime(call) {}
    }

    @Test(arguments: [Loss.powerOff, .unplugged, .daemon, .bus])
    func `has no reason after its own disconnection, whatever is lost before the end`(
        loss: Loss
    ) async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        var disconnects = await world.daemon.hold("Disconnect").makeAsyncIterator()
        await link.disconnect()
        let disconnect = await disconnects.next()
        try await loss.happen(in: world)
        await link.expectEnd()
        await adapter.close(waitsForDisconnection: false)
        withExtendedLifetime(disconnect) {}
    }

    @Test func `has no reason after its disconnection while another program ends it`() async throws
    {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        var writes = await world.daemon.hold("WriteValue").makeAsyncIterator()
        var disconnects = await world.daemon.hold("Disconnect").makeAsyncIterator()
        let write = Task { try await link.write([1], to: World.question) }
        await writes.next()?.fail(ErrorReply(BlueZError.notConnected, "Not Connected"))
        await #expect { try await write.value } throws: { isRadioError(.peerGone)($0) }
        let disconnect = await disconnects.next()
        await link.disconnect()
        try await world.tell(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        await link.expectEnd()
        disconnect?.reply()
        await adapter.close()
    }

    @Test(arguments: [ScriptedDaemon.question, ScriptedDaemon.answer, ScriptedDaemon.service])
    func `loses only the service whose objects go`(first: ObjectPath) async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        var writes = await world.daemon.hold("WriteValue").makeAsyncIterator()
        let pending = Task { try await link.write([1], to: World.question) }
        let call = await writes.next()
        let queued = Task { try await link.write([2], to: World.question) }
        await link.device.hasQueued(2)
        try await world.daemon.remove(
            first,
            ScriptedDaemon.question,
            ScriptedDaemon.answer,
            ScriptedDaemon.service
        )
        for write in [pending, queued] {
            await #expect { try await write.value } throws: {
                isRadioError(.servicesInvalidated)($0)
            }
        }
        await #expect { try await link.write([1], to: World.question) } throws: {
            isRadioError(.servicesInvalidated)($0)
        }
        #expect(await link.services.isEmpty)
        var events = link.events.makeAsyncIterator()
        guard case .servicesInvalidated([World.service]) = await events.next() else {
            Issue.record("the loss was not told")
            return
        }
        // It comes again, and is used as before.
        try await world.daemon.addServices()
        let again = Task { try await link.write([3], to: World.question) }
        await writes.next()?.reply()
        try await again.value
        await adapter.close()
        guard case .disconnected(nil) = await events.next() else {
            Issue.record("something else was told before the end")
            return
        }
        withExtendedLifetime(call) {}
    }

    @Test func `loses with a service the exclusive access to it`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        try await world.daemon.addServices(answerFlags: ["notify", "write-without-response"])
        try await world.tell(["ServicesResolved": .bool(true), "Connected": .bool(true)])
        let link = try await adapter.link(to: World.ball)
        let (writing, writingEnd) = try #require(PacketSocket.pair())
        let (notifying, notifyingEnd) = try #require(PacketSocket.pair())
        var writers = await world.daemon.hold("AcquireWrite").makeAsyncIterator()
        var readers = await world.daemon.hold("AcquireNotify").makeAsyncIterator()
        let acquiringWriter = Task { try await link.acquireWriter(for: World.answer) }
        await writers.next()?.reply([.descriptor(writingEnd), .uint16(517)])
        let writer = try await acquiringWriter.value
        let acquiringReader = Task { try await link.acquireReader(for: World.answer) }
        await readers.next()?.reply([.descriptor(notifyingEnd), .uint16(517)])
        let reader = try await acquiringReader.value
        try await world.daemon.remove(
            ScriptedDaemon.question,
            ScriptedDaemon.answer,
            ScriptedDaemon.service
        )
        await #expect { try await writer.write([1]) } throws: {
            isRadioError(.servicesInvalidated)($0)
        }
        await adapter.close()
        await #expect { for try await _ in reader.values {} } throws: {
            isRadioError(.servicesInvalidated)($0)
        }
        withExtendedLifetime((writing, notifying)) {}
    }

    @Test func `loses with a service what its descriptors are asked`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        try await world.daemon.addDescriptor()
        let descriptor = DescriptorID(characteristic: World.question, descriptor: "2901")
        var reads = await world.daemon.hold("ReadValue").makeAsyncIterator()
        let pending = Task { _ = try await link.read(descriptor) }
        // Never replied to.
        let call = await reads.next()
        let queued = Task { try await link.write([2], to: descriptor) }
        await link.device.hasQueued(2)
        try await world.daemon.remove(
            ScriptedDaemon.descriptor,
            ScriptedDaemon.question,
            ScriptedDaemon.answer,
            ScriptedDaemon.service
        )
        for request in [pending, queued] {
            await #expect { try await request.value } throws: {
                isRadioError(.servicesInvalidated)($0)
            }
        }
        await adapter.close()
        withExtendedLifetime(call) {}
    }
}
