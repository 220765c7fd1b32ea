import BLE
import DBus
import DBusTesting
import Testing

@testable import BlueZ

/// What waits for a peer, a program or bluetoothd has a limit each.
@Suite("The limits of an adapter", .timeLimit(.minutes(1)))
struct LimitTests {
    @Test func `end a link whose peer tells without end during a read`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        try await link.subscribe(to: World.answer)
        var calls = await world.daemon.hold("ReadValue").makeAsyncIterator()
        let read = Task { try await link.read(World.answer) }
        let call = await calls.next()
        let limit = NotificationGate.maximumHeldCount
        for number in 0..<limit {
            try await world.daemon.notify([UInt8(number % 256), 1])
        }
        #expect(await link.isUp)
        try await world.daemon.notify([0, 2])
        #expect(await !link.isUp)
        await #expect { try await read.value } throws: { isRadioError(.overflow)($0) }
        call?.reply([.bytes([42])])
        var ending: LinkEvent?
        for await event in link.events { ending = event }
        guard case .disconnected(let error) = ending else {
            Issue.record("\(String(describing: ending)) was told last")
            return
        }
        #expect(error?.code == .overflow)
        await adapter.close()
    }

    @Test func `refuse requests beyond those that wait for one that is not answered`() async throws
    {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        var calls = await world.daemon.hold("WriteValue").makeAsyncIterator()
        let writes = (0..<RequestQueue.maximumCount).map { number in
            Task { try await link.write([UInt8(number % 256)], to: World.question) }
        }
        let first = await calls.next()
        await link.hasQueued(RequestQueue.maximumCount)
        await #expect { try await link.write([1], to: World.question) } throws: {
            isRadioError(.busy)($0)
        }
        first?.reply()
        for _ in writes.dropFirst() { await calls.next()?.reply() }
        for write in writes { try await write.value }
        await adapter.close()
    }

    @Test func `refuse values beyond those that wait for the reply to a write`() async throws {
        let ball = try await PublishedBall()
        await ball.responder.hold()
        let write = Task { try await ball.write([1]) }
        var calls = ball.responder.calls.makeAsyncIterator()
        _ = await calls.next()
        let answer = World.answer.characteristic
        for _ in 0..<UpdateQueue.maximumCount {
            try await ball.publication.update(answer, to: [1])
        }
        await #expect { try await ball.publication.update(answer, to: [1]) } throws: {
            isRadioError(.busy)($0)
        }
        await ball.responder.release()
        try await write.value
        await ball.adapter.close()
    }

    @Test func `forget services that a peer takes back without end`() {
        var services = RemoteServices()
        let uuids = (0..<300).map { BluetoothUUID(assignedNumber: UInt32($0)) }
        for uuid in uuids {
            let properties = PropertyMap(["UUID": .string("\(uuid)")])
            services.add("/s", GattService1.interface, properties)
            #expect(services.remove("/s", GattService1.interface)?.uuid == uuid)
        }
        let known = uuids.count { services.wasWithdrawn($0) }
        #expect(known == RemoteServices.maximumWithdrawnCount)
    }

    @Test func `take a service back whose responder hangs while peers come and go`() async throws {
        let ball = try await PublishedBall()
        await ball.responder.hold()
        let write = Task { try await ball.write([1]) }
        var calls = ball.responder.calls.makeAsyncIterator()
        _ = await calls.next()
        // One more: who writes has come.
        for _ in 0..<ResponderBacklog.maximumEventCount {
            _ = try await ball.call(ball.answer, "StartNotify")
        }
        #expect(await ball.world.daemon.count("UnregisterApplication") == 0)
        _ = try await ball.call(ball.answer, "StopNotify")
        await ball.world.daemon.wasCalled("UnregisterApplication")
        await #expect(throws: RadioError.self) {
            try await ball.publication.update(World.answer.characteristic, to: [1])
        }
        await ball.responder.release()
        var last: PublicationEvent?
        for await event in ball.responder.events {
            last = event
            if case .ended = event { break }
        }
        guard case .ended(let error) = last else {
            Issue.record("the responder was not told the end")
            return
        }
        #expect(error.code == .overflow)
        _ = try? await write.value
        await ball.adapter.close()
    }
}
