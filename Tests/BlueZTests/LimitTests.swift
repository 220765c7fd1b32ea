import BLE
import BLEDBus
import BLEDBusTesting
import Testing

@testable import BlueZ

/// What waits for a peer, a program or bluetoothd has a limit each.
@Suite("The limits of an adapter", .timeLimit(.minutes(10)))
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
        #expect(await link.device.isUp)
        try await world.daemon.notify([0, 2])
        #expect(await !link.device.isUp)
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
        await link.device.hasQueued(RequestQueue.maximumCount)
        await #expect { try await link.write([1], to: World.question) } throws: {
            isRadioError(.busy)($0)
        }
        first?.reply()
        for _ in writes.dropFirst() { await calls.next()?.reply() }
        for write in writes { try await write.value }
        await adapter.close()
    }

    @Test func `let values wait beyond those that wait for the reply to a write`() async throws {
        let ball = try await PublishedBall()
        await ball.responder.hold()
        let write = Task { try await ball.write([1]) }
        var calls = ball.responder.calls.makeAsyncIterator()
        _ = await calls.next()
        let publication = try #require(ball.publication as? PublishedServices)
        for _ in 0..<UpdateQueue.maximumCount {
            try await publication.update(World.answer, to: [1])
        }
        let waiting = (0...Turns.maximumWaitingCount).map { _ in
            Task { try await publication.update(World.answer, to: [2]) }
        }
        while await publication.updateTurns.count <= Turns.maximumWaitingCount {
            await Task.yield()
        }
        await #expect { try await publication.update(World.answer, to: [3]) } throws: {
            isRadioError(.busy)($0)
        }
        await ball.responder.release()
        try await write.value
        for task in waiting { try await task.value }
        await ball.adapter.close()
    }

    @Test func `refuse values of the responder beyond those that wait for it`() async throws {
        let ball = try await PublishedBall()
        let publication = ball.publication
        let (outcomes, outcome) = AsyncStream.makeStream(of: (Int, (any Error)?).self)
        await ball.responder.whenWritten {
            for number in 0... {
                do {
                    try await publication.update(World.answer, to: [1])
                } catch {
                    outcome.yield((number, error))
                    break
                }
            }
        }
        try await ball.write([1])
        for await (count, error) in outcomes {
            #expect(count == UpdateQueue.maximumResponderCount)
            #expect(error.map(isRadioError(.busy)) == true)
            break
        }
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

    @Test func `drop the oldest reports of a scan that nobody takes`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let events = try await adapter.scan(ScanFilter())
        let dropped = 44
        let strengths = (0..<Scan.maximumEventCount + dropped).map { Int16(-1 - $0 % 100) }
        for strength in strengths { try await world.daemon.hear(strength) }
        await adapter.close()
        var reported: [Int?] = []
        for try await event in events {
            if case .seen(let sighting) = event { reported.append(sighting.rssi?.rawValue) }
        }
        #expect(reported == strengths.dropFirst(dropped).map(Int.init))
    }

    @Test func `tell of no more than a thousand centrals`() async throws {
        let ball = try await PublishedBall()
        let daemon = ball.world.daemon
        let limit = PublishedServices.maximumCentralCount
        for number in 0...limit {
            try await daemon.addDevice(
                ["Connected": .bool(true)],
                at: ScriptedDaemon.adapter.appending("dev_\(number)"),
                address: Self.address(number)
            )
        }
        // The one beyond the limit goes, and is not told of; then the first, who was.
        for number in [limit, 0] {
            try await daemon.remove(ScriptedDaemon.adapter.appending("dev_\(number)"))
        }
        var connected: [String] = []
        for await event in ball.responder.events {
            if case .connected(let peer) = event { connected.append(peer.rawValue) }
            guard case .disconnected(let peer) = event else { continue }
            #expect(peer.rawValue == Self.address(0))
            break
        }
        #expect(connected == (0..<limit).map(Self.address))
        await ball.adapter.close()
    }

    private static func address(_ number: Int) -> String {
        let low = String(number % 256, radix: 16, uppercase: true)
        let high = String(number / 256, radix: 16, uppercase: true)
        return "00:AA:02:00:0\(high):\(low.count < 2 ? "0" : "")\(low)"
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
            try await ball.publication.update(World.answer, to: [1])
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
