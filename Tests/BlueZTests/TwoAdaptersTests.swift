import BLE
import BLEDBus
import BLEDBusTesting
import Testing
import VirtualBlueZ

@testable import BlueZ

/// Two adapters of one virtual daemon: hci0 asks, hci1 answers.
@Suite("Two adapters", .timeLimit(.minutes(10)))
struct TwoAdaptersTests {
    /// A property of an adapter, as a program sees it that has nothing to do with the tested ones.
    private func property(
        _ name: String,
        _ interface: String,
        of adapter: String,
        _ pair: Pair
    ) async throws -> Value? {
        let onlooker = try await Connection.open(BusAddress(pair.bus.address))
        let path = try Adapter1.parent.appending(adapter)
        let reply = try await onlooker.call(.property(name, of: interface, at: path))
        await onlooker.close()
        return try reply.body().first?.unwrapped
    }

    @Test func `ask and answer`() async throws {
        let pair = try await Pair()
        let sighting: Sighting
        let publication = try await pair.answering.publish(responder: pair.responder)
        sighting = try await pair.find()
        #expect(sighting.name == "8-Ball")
        #expect(sighting.rssi == RSSI(-50))
        let link = try await pair.asking.link(to: sighting.peer)
        #expect(await link.services.contains { $0.uuid == World.service })
        try await link.subscribe(to: World.answer)
        var events = link.events.makeAsyncIterator()
        var calls = pair.responder.calls.makeAsyncIterator()
        for question in ["Will it rain?", "Really?"] {
            try await link.write(Array(question.utf8), to: World.question)
            guard case .write(_, let value, let request) = await calls.next() else {
                Issue.record("the question did not arrive")
                return
            }
            #expect(value == Array(question.utf8))
            #expect(request.mtuBytes == 517)
            try await publication.update(World.answer, to: value.reversed())
            #expect(await events.next()?.value == value.reversed())
        }
        await pair.responder.answer(.success([7]))
        #expect(try await link.read(World.answer) == [7])
        try await link.unsubscribe(from: World.answer)
        await link.disconnect()
        guard case .disconnected(nil) = await events.next() else {
            Issue.record("something else was told before the end")
            return
        }
        await pair.close()
    }

    @Test(arguments: [0x90, 0x80, 0x9F, 0x0E, 0x0D, 0x08, 0x06, 0x03, 0xFE] as [UInt8])
    func `carry a refusal from one to the other`(code: UInt8) async throws {
        let pair = try await Pair()
        let (_, link) = try await pair.meet()
        await pair.responder.answer(.failure(ATTError(rawValue: code)))
        await #expect(throws: ATTError(rawValue: code)) {
            try await link.write([1], to: World.question)
        }
        await pair.close()
    }

    @Test func `tell who is at the other end by the same identity each time`() async throws {
        let pair = try await Pair()
        let (_, link) = try await pair.meet()
        try await link.write([1], to: World.question)
        var calls = pair.responder.calls.makeAsyncIterator()
        guard case .write(_, _, let request) = await calls.next() else {
            Issue.record("the question did not arrive")
            return
        }
        var events = pair.responder.events.makeAsyncIterator()
        guard case .connected(request.central) = await events.next(),
            case .subscribed(World.answer, nil) = await events.next()
        else {
            Issue.record("something else was told")
            return
        }
        let address = try await property("Address", Adapter1.interface, of: "hci0", pair)
        #expect(address?.string == request.central.rawValue)
        await link.disconnect()
        for await event in pair.responder.events {
            if case .disconnected(request.central) = event { break }
        }
        await pair.close()
    }

    @Test func `carry sixty notifications in order`() async throws {
        let pair = try await Pair()
        let (publication, link) = try await pair.meet()
        for value in 1...60 {
            try await publication.update(World.answer, to: [UInt8(value)])
        }
        var told: [UInt8] = []
        for await case .notification(World.answer, let value) in link.events {
            told += value
            if told.count == 60 { break }
        }
        #expect(told == Array(1...60))
        await pair.close()
    }

    @Test func `carry writes in order, though bluetoothd takes one at a time`() async throws {
        let pair = try await Pair()
        let (_, link) = try await pair.meet()
        try await withThrowingTaskGroup { group in
            for value in 1...20 {
                group.addTask { try await link.write([UInt8(value)], to: World.question) }
            }
            try await group.waitForAll()
        }
        await pair.close()
    }

    @Test func `part when the link is cut`() async throws {
        let pair = try await Pair()
        let (_, link) = try await pair.meet()
        await pair.responder.hold()
        let write = Task { try await link.write([1], to: World.question) }
        var calls = pair.responder.calls.makeAsyncIterator()
        _ = await calls.next()
        await pair.daemon.simulateDisconnection(between: 0, and: 1)
        await #expect { try await write.value } throws: { isRadioError(.peerGone)($0) }
        for await event in link.events {
            guard case .disconnected(let error?) = event else { continue }
            #expect(error.code == .peerGone)
        }
        await pair.responder.release()
        await pair.close()
    }

    @Test func `part when the service is withdrawn, and the link stays`() async throws {
        let pair = try await Pair()
        let (publication, link) = try await pair.meet()
        // By who serves the write: it can be replied to only when the service has gone.
        await pair.responder.whenWritten { await publication.withdraw() }
        await #expect {
            try await link.write([1], to: World.question)
        } throws: {
            isRadioError(.servicesInvalidated)($0)
        }
        var events = link.events.makeAsyncIterator()
        guard case .servicesInvalidated([World.service]) = await events.next() else {
            Issue.record("the loss of the service was not told")
            return
        }
        _ = try await pair.answering.publish(responder: ScriptedResponder())
        await pair.close()
    }

    @Test func `part when the service is withdrawn, after what a write has led to`() async throws {
        let pair = try await Pair()
        let (publication, link) = try await pair.meet()
        await pair.responder.hold()
        let write = Task { try await link.write([1], to: World.question) }
        var calls = pair.responder.calls.makeAsyncIterator()
        _ = await calls.next()
        // Told after the reply to that write.
        try await publication.update(World.answer, to: [7])
        let withdrawal = Task { await publication.withdraw() }
        let service = try #require(publication as? PublishedServices)
        while await !service.isWithdrawing { await Task.yield() }
        await pair.responder.release()
        try await write.value
        await withdrawal.value
        var events = link.events.makeAsyncIterator()
        guard case .notification(World.answer, [7]) = await events.next() else {
            Issue.record("the value was lost")
            return
        }
        guard case .servicesInvalidated([World.service]) = await events.next() else {
            Issue.record("the loss of the service was not told")
            return
        }
        await pair.close()
    }

    @Test func `part when either has no power`() async throws {
        for adapter in [0, 1] {
            let pair = try await Pair()
            let (_, link) = try await pair.meet()
            await pair.daemon.simulatePowerOff(of: adapter)
            var last: LinkEvent?
            for await event in link.events { last = event }
            guard case .disconnected(.some) = last else {
                Issue.record("the end was not told")
                return
            }
            await pair.close()
        }
    }

    @Test func `end when bluetoothd does, and begin anew when it is back`() async throws {
        let pair = try await Pair()
        let (_, link) = try await pair.meet()
        var states = await pair.asking.states().makeAsyncIterator()
        #expect(await states.next() == .on)
        await pair.daemon.kill()
        var last: LinkEvent?
        for await event in link.events { last = event }
        guard case .disconnected(let error?) = last else {
            Issue.record("the end was not told")
            return
        }
        #expect(error.code == .noService)
        for await event in pair.responder.events {
            if case .ended(let error) = event {
                #expect(error.code == .noService)
                break
            }
        }
        #expect(await states.next() == .absent)
        let next = try await VirtualDaemon.start(on: pair.bus.address)
        #expect(await states.next() == .on)
        for await state in await pair.answering.states() where state == .on { break }
        _ = try await pair.answering.publish(responder: ScriptedResponder())
        _ = try await pair.connect().write([1], to: World.question)
        await pair.close()
        await next.stop()
    }

    @Test func `leave nothing registered`() async throws {
        let pair = try await Pair()
        let manager = LEAdvertisingManager1.interface
        let uuids = try await property("UUIDs", Adapter1.interface, of: "hci1", pair)
        let (_, link) = try await pair.meet()
        let events = try await pair.asking.scan(ScanFilter())
        #expect(try await property("ActiveInstances", manager, of: "hci1", pair) == .byte(1))
        #expect(
            try await property("Discovering", Adapter1.interface, of: "hci0", pair) == .bool(true)
        )
        await pair.answering.close()
        #expect(try await property("ActiveInstances", manager, of: "hci1", pair) == .byte(0))
        #expect(try await property("UUIDs", Adapter1.interface, of: "hci1", pair) == uuids)
        await pair.asking.close()
        for try await _ in events {}
        for await _ in link.events {}
        var isDiscovering: Value? = .bool(true)
        while isDiscovering != .bool(false) {
            isDiscovering = try await property(
                "Discovering",
                Adapter1.interface,
                of: "hci0",
                pair
            )
        }
        await pair.daemon.stop()
    }
}
