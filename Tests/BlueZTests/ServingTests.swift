import BLE
import BLEDBus
import BLEDBusTesting
import BLETesting
import Testing

@testable import BlueZ

@Suite("Serving", .timeLimit(.minutes(10)))
struct ServingTests {
    private static let central = PublishedBall.central

    private func publish() async throws -> PublishedBall { try await PublishedBall() }

    @Test func `hands over who writes what, and how`() async throws {
        let ball = try await publish()
        try await ball.write([1, 2])
        var calls = ball.responder.calls.makeAsyncIterator()
        let request = GATTRequest(central: World.ball, mtuBytes: 100)
        #expect(
            await calls.next() == .write(World.question, [1, 2], request)
        )
        await ball.adapter.close()
    }

    @Test func `cuts a value at the offset of the read`() async throws {
        let ball = try await publish()
        await ball.responder.answer(.success([1, 2, 3]))
        #expect(try await ball.read() == [1, 2, 3])
        #expect(try await ball.read(["offset": .uint16(2)]) == [3])
        #expect(try await ball.read(["offset": .uint16(3)]) == [])
        await #expect(throws: ErrorReply(BlueZError.invalidOffset)) {
            _ = try await ball.read(["offset": .uint16(4)])
        }
        var calls = ball.responder.calls.makeAsyncIterator()
        for offset in [0, 2, 3, 4] {
            let request = GATTRequest(central: World.ball, mtuBytes: 100, offset: offset)
            #expect(await calls.next() == .read(World.answer, request))
        }
        await ball.adapter.close()
    }

    @Test(arguments: [0x90, 0x0E, 0x0D] as [UInt8])
    func `refuses as the responder does`(code: UInt8) async throws {
        let ball = try await publish()
        let refusal = ATTError(rawValue: code)
        await ball.responder.answer(.failure(refusal))
        await #expect(throws: BlueZError.reply(for: refusal)) { try await ball.write([1]) }
        await #expect(throws: BlueZError.reply(for: refusal)) { _ = try await ball.read() }
        await ball.adapter.close()
    }

    @Test func `asks one thing at a time, in order`() async throws {
        let ball = try await publish()
        await ball.responder.hold()
        let first = Task { try await ball.write([1]) }
        var calls = ball.responder.calls.makeAsyncIterator()
        _ = await calls.next()
        let second = Task { try await ball.write([2]) }
        let third = Task { _ = try await ball.call(ball.answer, "StartNotify") }
        try await third.value
        await ball.responder.release()
        try await first.value
        try await second.value
        guard case .write(_, [2], _) = await calls.next() else {
            Issue.record("the second write was not handed over")
            return
        }
        await ball.adapter.close()
    }

    @Test func `refuses for a responder that hangs, before bluetoothd does`() async throws {
        let ball = try await publish()
        await ball.responder.hold()
        var calls = ball.responder.calls.makeAsyncIterator()
        let first = Task { try await ball.write([1]) }
        guard case .write(_, [1], _) = await calls.next() else {
            Issue.record("the first write was not handed over")
            return
        }
        let refusal = BlueZError.reply(for: .unlikelyError)
        await ball.world.clock.pass(.seconds(4))
        await #expect(throws: refusal) { try await first.value }
        let second = Task { try await ball.write([2]) }
        await ball.world.clock.pass(.seconds(4))
        await #expect(throws: refusal) { try await second.value }
        await ball.responder.release()
        // What was refused meanwhile is not handed over: its central would get an answer all the same.
        try await ball.write([3])
        guard case .write(_, [3], _) = await calls.next() else {
            Issue.record("another write than the third was handed over")
            return
        }
        await ball.adapter.close()
    }

    /// bluetoothd has acknowledged it before: refused, it would be lost.
    @Test func `hands over later what came without a response while a responder hung`() async throws
    {
        let ball = try await PublishedBall(question: .writeWithoutResponse)
        await ball.responder.hold()
        var calls = ball.responder.calls.makeAsyncIterator()
        for number in 1...3 as ClosedRange<UInt8> {
            let write = Task { try await ball.write([number]) }
            await ball.world.clock.pass(.seconds(4))
            try await write.value
        }
        await ball.responder.release()
        for number in 1...3 as ClosedRange<UInt8> {
            guard case .write(_, [number], _) = await calls.next() else {
                Issue.record("the write of \(number) was not handed over")
                return
            }
        }
        await ball.adapter.close()
    }

    @Test func `tells who subscribes, connects and leaves`() async throws {
        let ball = try await publish()
        let daemon = ball.world.daemon
        func link(_ isConnected: Bool) async throws {
            try await daemon.set(
                ["Connected": .bool(isConnected)],
                of: Device1.interface,
                at: Self.central
            )
        }
        try await link(true)
        try await ball.write([1])
        _ = try await ball.call(ball.answer, "StartNotify")
        _ = try await ball.call(ball.answer, "StopNotify")
        try await link(false)
        // Its connection is not told each time: then it is known by what it asks.
        try await ball.write([2])
        try await daemon.remove(Self.central)
        try await daemon.addDevice(["Connected": .bool(true)])
        var told: [String] = []
        for await event in ball.responder.events {
            told.append("\(event)")
            if told.count == 7 { break }
        }
        let connected = "\(PublicationEvent.connected(World.ball))"
        let disconnected = "\(PublicationEvent.disconnected(World.ball))"
        #expect(
            told == [
                connected, "\(PublicationEvent.subscribed(World.answer, nil))",
                "\(PublicationEvent.unsubscribed(World.answer, nil))", disconnected,
                connected, disconnected, connected,
            ]
        )
        await ball.adapter.close()
    }

    @Test func `knows a peer that it has called`() async throws {
        let ball = try await publish()
        let daemon = ball.world.daemon
        let task = Task { try await ball.adapter.link(to: World.ball) }
        await daemon.wasCalled("Connect")
        try await daemon.addServices()
        try await daemon.set(
            ["Connected": .bool(true), "ServicesResolved": .bool(true)],
            of: Device1.interface,
            at: Self.central
        )
        _ = try await task.value
        _ = try await ball.call(ball.answer, "StartNotify")
        var events = ball.responder.events.makeAsyncIterator()
        guard case .connected(World.ball) = await events.next(),
            case .subscribed = await events.next()
        else {
            Issue.record("the peer was not told")
            return
        }
        #expect(await ball.publication.mtuBytes(of: World.ball) != nil)
        await ball.adapter.close()
    }

    @Test func `lets nobody call but bluetoothd`() async throws {
        let ball = try await publish()
        let stranger = try await Connection.open(BusAddress(ball.world.bus.address))
        for (member, body) in [
            ("StartNotify", []), ("StopNotify", []), ("ReadValue", [.properties([:])]),
            ("WriteValue", [.bytes([1]), .properties([:])]),
        ] as [(String, [Value])] {
            await #expect {
                _ = try await stranger.call(
                    .methodCall(
                        to: ball.sender,
                        at: ball.answer,
                        GattCharacteristic1.interface,
                        member,
                        body
                    )
                )
            } throws: {
                ($0 as? ErrorReply)?.name == .accessDenied
            }
        }
        await stranger.close()
        await ball.adapter.close()
    }

    @Test func `ends when bluetoothd releases the advertisement`() async throws {
        let ball = try await publish()
        let number = try #require(
            ball.question.parent?.parent?.lastComponent.drop { !$0.isNumber }
        )
        _ = try await ball.world.daemon.call(
            ObjectPath("/ble/advertisement\(number)"),
            of: ball.sender,
            "Release",
            [],
            LEAdvertisement1.interface
        )
        var events = ball.responder.events.makeAsyncIterator()
        guard case .ended(let error) = await events.next() else {
            Issue.record("the end was not told")
            return
        }
        #expect(error.code == .absent)
        await ball.world.daemon.wasCalled("UnregisterApplication")
        #expect(await ball.world.daemon.count("UnregisterAdvertisement") == 0)
        await ball.adapter.close()
    }
}
