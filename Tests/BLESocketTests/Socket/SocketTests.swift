import BLE
import BLETesting
import Testing

@testable import BLESocket

@Suite("A socket", .timeLimit(.minutes(10)))
struct SocketTests {
    @Test(arguments: [nil, 1, 2, 3, 4, 5] as [UInt64?])
    func `carries bytes both ways, in order`(seed: UInt64?) async throws {
        let scene = await SocketScene(seed: seed)
        try await scene.open()
        let sent = (0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        async let toCentral: Void = scene.listener.send(sent)
        async let toPeripheral: Void = scene.connector.send(sent.reversed())
        #expect(try await scene.read(sent.count, from: .connector) == sent)
        #expect(try await scene.read(sent.count, from: .listener) == sent.reversed())
        try await toCentral
        try await toPeripheral
    }

    /// Which reads what goes out: the radio does not say who subscribed.
    @Test func `takes nothing of a second central, and goes on with the first`() async throws {
        let scene = await SocketScene()
        try await scene.open()
        // Another program of that machine is there for anybody.
        let advertising = try await scene.peripheral.advertise(
            SocketScene.configuration.advertisement
        )
        let other = await scene.air.radio("Other")
        let link = try await other.connect(to: other.find())
        _ = try await link.discoverServices()
        try await link.writeWithoutResponse([9], to: SocketScene.configuration.writeID(of: .raw))
        await scene.air.waitUntilDelivered()
        try await scene.connector.send([1])
        #expect(try await scene.read(1, from: .listener) == [1])

        let notify = SocketScene.configuration.notifyID(of: .raw)
        try await link.subscribe(to: notify)
        try await scene.listener.send([2])
        for await case .notification(notify, let bytes) in link.events {
            #expect(bytes == [2])
            break
        }
        #expect(try await scene.read(1, from: .connector) == [2])
        await link.disconnect()
        await scene.air.waitUntilDelivered()
        try await scene.listener.send([3])
        try await scene.connector.send([4])
        #expect(try await scene.read(1, from: .connector) == [3])
        #expect(try await scene.read(1, from: .listener) == [4])
        await advertising.stop()
    }

    @Test func `sends several calls in their order`() async throws {
        let scene = await SocketScene()
        try await scene.open()
        try await scene.listener.send([1, 2])
        try await scene.listener.send([])
        try await scene.listener.send([3])
        #expect(try await scene.read(3, from: .connector) == [1, 2, 3])
    }

    @Test(arguments: [(23, 18), (100, 95), (517, 508)])
    func `fills packets, and knows the MTU while it is open`(
        mtuBytes: Int,
        byteCount: Int
    ) async throws {
        let scene = await SocketScene(mtuBytes: mtuBytes)
        #expect(await scene.listener.mtuBytes == nil)
        try await scene.open()
        #expect(await scene.connector.mtuBytes == mtuBytes)
        try await scene.connector.send([UInt8](repeating: 1, count: 2 * byteCount + 6))
        #expect(
            await scene.events(of: .listener, 4) == [
                "opened", "received \(byteCount)", "received \(byteCount)", "received 6",
            ]
        )
        // Its central has written, so that this end knows the MTU too.
        #expect(await scene.listener.mtuBytes == mtuBytes)
        try await scene.listener.send([UInt8](repeating: 1, count: byteCount + 3))
        #expect(
            await scene.events(of: .connector, 4) == [
                "opened", "sent \(2 * byteCount + 6)", "received \(byteCount)", "received 3",
            ]
        )
        await scene.listener.close()
        #expect(await scene.listener.mtuBytes == nil)
    }

    @Test func `is seen to be closed by the other end`() async throws {
        let scene = await SocketScene()
        try await scene.open()
        await scene.listener.close()
        await expectFailure(.lostConnection) {
            _ = try await scene.read(1, from: .connector)
        }
        #expect(await scene.events(of: .listener, 2) == ["opened", "closed"])
        #expect(await scene.events(of: .connector, 2) == ["opened", "lost lostConnection"])

        let other = await SocketScene()
        try await other.open()
        await other.connector.close()
        await expectFailure(.lostConnection) { _ = try await other.read(1, from: .listener) }
        #expect(await other.events(of: .connector, 2) == ["opened", "closed"])
        #expect(await other.events(of: .listener, 2) == ["opened", "lost lostConnection"])
    }

    @Test func `can be opened again, by either end`() async throws {
        let scene = await SocketScene()
        for round in 1...5 as ClosedRange<UInt8> {
            try await scene.open()
            try await scene.connector.send([round])
            #expect(try await scene.read(1, from: .listener) == [round])
            await (round % 2 == 0 ? scene.connector : scene.listener).close()
            await scene.waitUntilClosed()
        }
    }

    @Test func `tells in a stream what observers are told, and what it is`() async throws {
        let scene = await SocketScene()
        let events = await scene.listener.events
        #expect(await scene.listener.state == .closed)
        async let opening: Void = scene.open()
        while await scene.listener.state != .opening { await Task.yield() }
        try await opening
        #expect(await scene.listener.state == .open)
        try await scene.connector.send([1, 2])
        _ = try await scene.read(2, from: .listener)
        try await scene.listener.send([3])
        await scene.listener.close()
        #expect(await scene.listener.state == .closed)
        var told: [String] = []
        for await event in events {
            told.append("\(event)")
            if case .closed = event { break }
        }
        #expect(told == ["advertising", "opened", "received([1, 2])", "sent(1)", "closed(nil)"])
        #expect(
            await scene.events(of: .listener, 4) == ["opened", "received 2", "sent 1", "closed"]
        )
    }

    /// Between two bluetoothds 5.66 what is written at once may overtake what was written before.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `keeps the order of what a central writes where responses alone do`(
        seed: UInt64
    ) async throws {
        var configuration = SocketConfiguration.nordicUART
        // The clock runs ahead of what there is to do.
        configuration.sendLimit = nil
        let scene = await SocketScene(seed: seed, isOrdered: false, configuration)
        var conditions = LinkConditions()
        conditions.overtakingCount = 3
        await scene.air.simulateConditions(conditions, from: scene.central, to: scene.peripheral)
        let sent = (0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        let received = try await scene.pass {
            try await scene.open()
            async let received = scene.read(sent.count, from: .listener)
            try await scene.connector.send(sent)
            return try await received
        }
        #expect(received == sent)
    }

    /// What has come is the beginning of what was sent; the rest is said to be lost.
    @Test func `is closed when its link is cut after any packet`() async throws {
        let sent = (0..<200).map { UInt8($0) }
        for packetCount in 0...11 {
            let scene = await SocketScene(mtuBytes: 23)
            try await scene.open()
            let sending = Task { try await scene.connector.send(sent) }
            var received: [UInt8] = []
            while received.count < packetCount * 18 {
                received += try await scene.read(1, from: .listener)
            }
            await scene.air.simulateDisconnection(between: scene.central, and: scene.peripheral)
            await expectFailure(.lostConnection) {
                while true { received += try await scene.read(1, from: .listener) }
            }
            #expect(received == Array(sent.prefix(received.count)), "after \(packetCount)")
            let hasSent = (try? await sending.value) != nil
            #expect(hasSent || received.count < sent.count || packetCount == 11)
            await scene.waitUntilClosed()
            try await scene.open()
            try await scene.listener.send([packetCount == 0 ? 1 : 2])
            #expect(try await scene.read(1, from: .connector).count == 1)
        }
    }

    @Test func `runs until it is closed, by either end, or its task is cancelled`() async throws {
        let scene = await SocketScene()
        func run(_ socket: Socket) -> Task<Void, any Error> { Task { try await socket.run() } }
        var (listening, connecting) = (run(scene.listener), run(scene.connector))
        await scene.waitUntilOpen()
        await scene.connector.close()
        try await connecting.value
        await expectFailure(.lostConnection) { try await listening.value }
        (listening, connecting) = (run(scene.listener), run(scene.connector))
        await scene.waitUntilOpen()
        listening.cancel()
        try await listening.value
        await expectFailure(.lostConnection) { try await connecting.value }
        #expect(await scene.listener.state == .closed)
    }

    @Test func `runs on after a loss where it opens again by itself`() async throws {
        var configuration = SocketScene.configuration
        configuration.reconnects = true
        let scene = await SocketScene(configuration, connecting: SocketScene.configuration)
        let running = Task { try await scene.listener.run() }
        for _ in 0..<3 {
            try await scene.connector.open()
            while await scene.listener.state != .open { await Task.yield() }
            await scene.connector.close()
            while await scene.listener.state != .opening { await Task.yield() }
        }
        await scene.listener.close()
        try await running.value
    }

    @Test func `is open once`() async throws {
        let scene = await SocketScene()
        try await scene.open()
        await expectFailure(.alreadyOpen) { try await scene.listener.open() }
        await expectFailure(.alreadyOpen) { try await scene.connector.open() }
    }

    @Test func `sends nothing when it is closed`() async throws {
        let scene = await SocketScene()
        await expectFailure(.notConnected) { try await scene.listener.send([1]) }
        try await scene.open()
        await scene.connector.close()
        await expectFailure(.notConnected) { try await scene.connector.send([1]) }
        await scene.connector.close()
    }

    @Test func `is closed when its radio goes off, and says so once`() async throws {
        let scene = await SocketScene()
        try await scene.open()
        await scene.peripheral.simulatePowerOff()
        #expect(await scene.events(of: .listener, 2) == ["opened", "lost bluetoothOff"])
        #expect(await scene.events(of: .connector, 2) == ["opened", "lost lostConnection"])
    }

    @Test func `is closed when its central's radio goes off, which says so`() async throws {
        let scene = await SocketScene()
        try await scene.open()
        await scene.central.simulatePowerOff()
        #expect(await scene.events(of: .connector, 2) == ["opened", "lost bluetoothOff"])
        #expect(await scene.events(of: .listener, 2) == ["opened", "lost lostConnection"])
    }

    @Test func `can be opened again as soon as the radio is off, and waits for it`() async throws {
        let scene = await SocketScene()
        for _ in 0..<5 {
            try await scene.open()
            await scene.peripheral.simulatePowerOff()
            while await scene.listener.isOpen { await Task.yield() }
            async let opened: Void = scene.open()
            await scene.clock.waitForSleeper(for: .seconds(30))
            await scene.peripheral.simulatePowerOn()
            try await opened
            try await scene.connector.send([1])
            #expect(try await scene.read(1, from: .listener) == [1])
            await scene.connector.close()
            await scene.waitUntilClosed()
        }
    }

    @Test func `waits for a radio that went off while it was closed`() async throws {
        let scene = await SocketScene()
        try await scene.open()
        await scene.listener.close()
        await scene.waitUntilClosed()
        await scene.peripheral.simulatePowerOff()
        async let opened: Void = scene.open()
        await scene.clock.waitForSleeper(for: .seconds(30), count: 2)
        await scene.peripheral.simulatePowerOn()
        try await opened
    }

    @Test func `waits for the radio`() async throws {
        let scene = await SocketScene()
        await scene.peripheral.simulatePowerOff()
        await scene.central.simulatePowerOff()
        async let opened: Void = scene.open()
        await scene.clock.waitForSleeper(for: .seconds(30), count: 2)
        await scene.peripheral.simulatePowerOn()
        await scene.central.simulatePowerOn()
        try await opened
    }

    @Test func `is not opened when the radio stays off, or nobody is there`() async throws {
        let scene = await SocketScene()
        await scene.peripheral.simulatePowerOff()
        let listening = Task { try await scene.listener.open() }
        let connecting = Task { try await scene.connector.open() }
        await scene.clock.waitForSleeper(for: .seconds(30), count: 2)
        await scene.clock.advance(by: .seconds(30))
        await expectFailure(.bluetoothOff) { try await listening.value }
        await expectFailure(.notFound) { try await connecting.value }
    }

    @Test func `waits for no radio that was closed for good`() async throws {
        var configuration = SocketScene.configuration
        configuration.openLimit = nil
        let scene = await SocketScene(configuration)
        await scene.peripheral.close()
        await expectFailure(.bluetoothAbsent) { try await scene.listener.open() }
    }

    @Test func `is closed when its opening is cancelled`() async throws {
        let scene = await SocketScene()
        let listening = Task { try await scene.listener.open() }
        for try await _ in await scene.central.scanEvents() { break }
        listening.cancel()
        await #expect(throws: CancellationError.self) { try await listening.value }
        let connecting = Task { try await scene.connector.open() }
        await scene.clock.waitForSleeper(for: .seconds(30))
        connecting.cancel()
        await #expect(throws: CancellationError.self) { try await connecting.value }
        try await scene.open()
    }

    /// Known at once; with the second one the connection ends after the limit.
    @Test(arguments: [Duration.zero, .seconds(40)])
    func `does not connect to one without the characteristics`(ending: Duration) async throws {
        let scene = await SocketScene()
        await scene.central.simulateDisconnecting(takes: ending)
        var other = SocketScene.configuration
        other.write = "1234"
        let listener = Socket(listeningOn: scene.peripheral, other, clock: scene.clock)
        let listening = Task { try await listener.open() }
        let connecting = Task { try await scene.connector.open() }
        if ending > .zero {
            await scene.clock.waitForSleeper(for: ending)
            await scene.clock.pass(.seconds(30))
            await scene.clock.pass(.seconds(10))
        }
        await expectFailure(.notFound) { try await connecting.value }
        await listener.close()
        await expectFailure(.notConnected) { try await listening.value }
    }

    @Test func `reports what was sent`() async throws {
        let scene = await SocketScene()
        try await scene.open()
        try await scene.listener.send([1, 2, 3])
        #expect(await scene.events(of: .listener, 2) == ["opened", "sent 3"])
        #expect(await scene.events(of: .connector, 2) == ["opened", "received 3"])
    }

    @Test func `advertises the UUID of its service alone`() async throws {
        let scene = await SocketScene()
        let opening = Task { try await scene.listener.open() }
        for try await case .seen(let sighting) in await scene.central.scanEvents() {
            #expect(sighting.serviceUUIDs == [SocketScene.configuration.service])
            #expect(sighting.name.isEmpty && sighting.appearance == nil && sighting.txPower == nil)
            #expect(sighting.manufacturerData.isEmpty && sighting.serviceData.isEmpty)
            break
        }
        await scene.listener.close()
        await expectFailure(.notConnected) { try await opening.value }
    }

    @Test func `closes when nobody reads what comes, and tells observers of it`() async throws {
        let scene = await SocketScene()
        try await scene.open()
        await #expect(throws: SocketError.self) {
            for _ in 0..<3_000 { try await scene.connector.send([1]) }
        }
        await expectFailure(.full) { _ = try await scene.read(5_000, from: .listener) }
        let told = await scene.events(of: .listener, untilOneIs: "closed")
        #expect(told.first { !$0.hasPrefix("received") && $0 != "opened" } == "not received full")
    }
}
