import BLE
import BLETesting
import Testing

@testable import BLESocket

@Suite("A Geotab socket", .timeLimit(.minutes(10)))
struct GeotabSocketTests {
    @Test(arguments: [23, 185])
    func `shakes hands, and carries messages both ways`(mtuBytes: Int) async throws {
        let scene = await GeotabScene(mtuBytes: mtuBytes)
        try await scene.open()
        var ofDevice = await scene.device.events().makeAsyncIterator()
        var ofPhone = await scene.phone.events().makeAsyncIterator()
        guard case .connected(0x105F, .acknowledge) = await ofDevice.next() else {
            Issue.record("the device does not know who connected")
            return
        }
        try await scene.phone.send([1, 2, 3])
        guard case .received([1, 2, 3]) = await ofDevice.next() else {
            Issue.record("the message did not come")
            return
        }
        let long = [UInt8](repeating: 7, count: 5_000)
        try await scene.device.send(long)
        guard case .received(long) = await ofPhone.next() else {
            Issue.record("the data did not come")
            return
        }
        await scene.device.close()
        guard case .closed(nil) = await ofDevice.next() else {
            Issue.record("its own end is not told")
            return
        }
        guard case .closed(let error) = await ofPhone.next() else {
            Issue.record("the other's end is not told")
            return
        }
        #expect(error?.code == .lostConnection)
        #expect(await ofPhone.next() == nil)
        await expectFailure(.notConnected) { try await scene.phone.send([1]) }
        await expectFailure(.notConnected) { try await scene.device.send([1]) }
    }

    @Test
    func
        `carries messages as long as both ends are to take, and says of longer ones that it does not`()
        async throws
    {
        let longest = [UInt8](repeating: 2, count: 65_535)
        var (addOn, vehicle) = (GeotabAddOn.Configuration.keyless, GeotabDevice.Configuration())
        addOn.maximumMessageByteCount = longest.count
        vehicle.maximumMessageByteCount = longest.count
        for scene in await [GeotabScene(), GeotabScene(addOn, device: vehicle, mtuBytes: 517)] {
            let byteCount = scene.maximumMessageByteCount
            try await scene.open()
            var ofPhone = await scene.phone.events().makeAsyncIterator()
            var ofDevice = await scene.device.events().makeAsyncIterator()
            _ = await ofDevice.next()
            for end in [scene.phone, scene.device] {
                await expectFailure(.tooLong) {
                    try await end.send([UInt8](repeating: 2, count: byteCount + 1))
                }
                try await end.send(Array(longest.prefix(byteCount)))
            }
            guard case .received(let toDevice) = await ofDevice.next(),
                case .received(let toPhone) = await ofPhone.next()
            else {
                Issue.record("a message of \(byteCount) bytes did not come")
                return
            }
            #expect(toDevice.count == byteCount && toPhone.count == byteCount)
        }
    }

    @Test func `tells of the vehicle each second, and goes on as long as that is acknowledged`()
        async throws
    {
        let scene = await GeotabScene()
        try await scene.open()
        var data = VehicleData()
        data.odometer = 42
        await scene.device.changeVehicleData(to: data)
        var events = await scene.phone.events().makeAsyncIterator()
        for _ in 0..<100 {
            await scene.socket.clock.waitForSleeper(for: .seconds(1))
            await scene.socket.clock.advance(by: .seconds(1))
            guard case .receivedVehicleData(data) = await events.next() else {
                Issue.record("no vehicle data")
                return
            }
            try await scene.phone.send([1])
        }
    }

    @Test func `sends also messages as a device that does something wrong`() async throws {
        var configuration = GeotabDevice.Configuration()
        configuration.fault = .wrongChecksums
        let scene = await GeotabScene(device: configuration)
        try await scene.open()
        let events = await scene.phone.events()
        // One of them is the third frame: before them it has asked, and acknowledged.
        for _ in 0..<3 { try await scene.device.send([7]) }
        var (receivedCount, failedCount) = (0, 0)
        for await event in events {
            switch event {
            case .received(let message):
                #expect(message == [7])
                receivedCount += 1
            case .failedToReceive(let error):
                #expect(error.code == .malformedData)
                failedCount += 1
            case .connected, .receivedVehicleData, .closed: break
            }
            if receivedCount == 2 { break }
        }
        #expect(failedCount == 1)
    }

    /// A frame takes two seconds, and is due each second.
    @Test func `tells of the vehicle as often as a slow link takes it`() async throws {
        let scene = await GeotabScene()
        try await scene.open()
        var conditions = LinkConditions()
        conditions.bytesPerSecond = 25
        let radios = (scene.socket.central, scene.socket.peripheral)
        await scene.socket.air.simulateConditions(conditions, from: radios.0, to: radios.1)
        let events = await scene.phone.events()
        let toldCount = try await scene.socket.pass {
            var count = 0
            for await event in events {
                if case .receivedVehicleData = event { count += 1 }
                if count == 600 { break }
            }
            return count
        }
        // More than may wait for the radio.
        #expect(toldCount == 600)
    }

    /// Also when somebody has asked for it, and takes none.
    @Test(arguments: [false, true])
    func `is closed when nobody takes what happens, and says so`(hasConsumer: Bool) async throws {
        let scene = await GeotabScene()
        try await scene.open()
        let asked = hasConsumer ? await scene.phone.events() : nil
        await #expect(throws: SocketError.self) {
            for _ in 0..<2_000 { try await scene.device.send([1]) }
        }
        let events = if let asked { asked } else { await scene.phone.events() }
        var codes: [SocketError.Code?] = []
        for await event in events {
            switch event {
            case .received: codes.append(nil)
            case .closed(let error): codes.append(error?.code)
            case .connected, .receivedVehicleData, .failedToReceive: break
            }
        }
        // The one too many comes as well where it was passed on before that was known.
        #expect(codes.count == (hasConsumer ? 1_026 : 1_025))
        #expect(codes.last == .full)
    }

    @Test(arguments: [false, true])
    func `says of no message that it was taken when it was not`(hasConsumer: Bool) async throws {
        let scene = await GeotabScene()
        try await scene.open()
        let asked = hasConsumer ? await scene.device.events() : nil
        var sentCount = 0
        do {
            while true {
                try await scene.phone.send([1])
                sentCount += 1
            }
        } catch is SocketError {
            // It is closed by the device.
        }
        let events = if let asked { asked } else { await scene.device.events() }
        var (receivedCount, last): (Int, GeotabSocket.Event?) = (0, nil)
        for await event in events {
            if case .received = event { receivedCount += 1 }
            last = event
        }
        // Before the messages it was told who connected.
        #expect(sentCount == 1_023)
        #expect(receivedCount >= sentCount)
        guard case .closed(let error) = last else {
            Issue.record("the end is not told")
            return
        }
        #expect(error?.code == .full)
    }

    /// Eighty-four questions fit into a packet, and each has an answer.
    @Test func `is closed when a device asks for more than the radio takes`() async throws {
        let scene = await GeotabScene(mtuBytes: 517)
        let opening = Task { try await scene.phone.open() }
        try await scene.socket.connector.open()
        let question = GeotabFrame(.handshakeRequest, checked: []).bytes
        await #expect(throws: SocketError.self) {
            while true {
                try await scene.socket.connector.send(
                    Array(repeatElement(question, count: 2_000).joined())
                )
            }
        }
        await expectFailure(.full) { try await opening.value }
    }

    @Test func `does not open without a device`() async throws {
        var configuration = GeotabAddOn.Configuration.keyless
        configuration.handshakeLimit = .seconds(3)
        let scene = await GeotabScene(configuration)
        let opening = Task { try await scene.phone.open() }
        let peer = try await scene.socket.central.find()
        let link = try await scene.socket.central.connect(to: peer)
        _ = try await link.discoverServices()
        let notify = AttributeID(
            service: SocketScene.configuration.service,
            characteristic: SocketScene.configuration.notify
        )
        try await link.subscribe(to: notify)
        await expectFailure(.timedOut) {
            // Each second it shows that it is there.
            try await scene.socket.pass { try await opening.value }
        }
    }

    @Test func `does not open without an add-on`() async throws {
        var configuration = GeotabDevice.Configuration()
        configuration.handshakeLimit = .seconds(3)
        let scene = await GeotabScene(device: configuration)
        let opening = Task { try await scene.device.open() }
        // Somebody who says nothing.
        try await scene.socket.listener.open()
        while await !scene.socket.connector.isOpen { await Task.yield() }
        await expectFailure(.timedOut) {
            try await scene.socket.pass { try await opening.value }
        }
    }

    @Test func `can be opened again after a loss, over a socket that opens again by itself`()
        async throws
    {
        let socket = await SocketScene(.iox(service: SocketScene.configuration.service))
        let phone = GeotabSocket(over: socket.listener, as: .addOn(.iox))
        for _ in 0..<3 {
            let device = GeotabSocket(over: socket.connector, as: .device(.init()))
            let events = await phone.events()
            async let opening: Void = phone.open()
            try await device.open()
            try await opening
            await device.close()
            for await case .closed(let error) in events {
                #expect(error?.code == .lostConnection)
                break
            }
            #expect(await !socket.listener.isOpen)
        }
    }

    @Test func `is closed when it is closed as soon as its opening has begun`() async throws {
        let scene = await GeotabScene()
        await expectFailure(.notConnected) { try await scene.phone.openAndClose() }
        #expect(await scene.socket.listener.state == .closed)
        try await scene.open()
    }

    @Test func `is closed when its opening is cancelled, and can be opened again`() async throws {
        let scene = await GeotabScene()
        let opening = Task { try await scene.phone.open() }
        _ = try await scene.socket.central.find()
        opening.cancel()
        await #expect(throws: CancellationError.self) { try await opening.value }
        try await scene.open()
    }
}

extension GeotabSocket {
    /// Closes it as soon as its opening lets others have a turn.
    fileprivate func openAndClose() async throws {
        let opening = Task { try await open() }
        await Task { await close() }.value
        // One that goes on would wait for a device.
        opening.cancel()
        try await opening.value
    }
}

/// A phone and a vehicle's device on radios in memory.
private struct GeotabScene {
    let socket: SocketScene
    let phone: GeotabSocket
    let device: GeotabSocket
    let maximumMessageByteCount: Int

    init(
        _ configuration: GeotabAddOn.Configuration = .keyless,
        device deviceConfiguration: GeotabDevice.Configuration = .init(),
        mtuBytes: Int = 185
    ) async {
        socket = await SocketScene(mtuBytes: mtuBytes)
        maximumMessageByteCount = configuration.maximumMessageByteCount
        phone = GeotabSocket(over: socket.listener, as: .addOn(configuration))
        device = GeotabSocket(over: socket.connector, as: .device(deviceConfiguration))
    }

    func open() async throws {
        async let opening: Void = phone.open()
        try await device.open()
        try await opening
    }
}
