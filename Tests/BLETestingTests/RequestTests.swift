import BLE
import BLETesting
import Testing

@Suite("Requests", .timeLimit(.minutes(10)))
struct RequestTests {
    @Test func `need the services to be discovered`() async throws {
        let scene = try await Scene()
        try await scene.central.see(scene.peripheral)
        let link = try await scene.central.connect(to: scene.peripheral.peer)
        #expect(await link.services.isEmpty)
        await expect(.missingAttribute) { _ = try await link.read(Sample.level) }
        let services = try await link.discoverServices()
        #expect(await link.services == services)
        _ = try await link.read(Sample.level)
    }

    @Test func `without a response are lost when too many wait, and the responder learns of it`()
        async throws
    {
        let scene = try await Scene()
        let link = try await scene.link()
        await scene.responder.hold()
        for number in 1...1_030 {
            try await link.writeWithoutResponse([UInt8(number % 256)], to: Sample.command)
        }
        await scene.air.waitUntilDelivered()
        await scene.responder.release()
        let writes = try await scene.responder.calls.first(2 + 1_026).suffix(1_026)
        // One was being handled already.
        #expect(writes.filter { $0.contains("writes") && !$0.contains("lost") }.count == 1_025)
        #expect(writes.last?.hasPrefix("5 writes of Phone") == true, "\(writes.last ?? "")")
    }

    @Test func `see several services, and two characteristics of one UUID`() async throws {
        let battery = GATTService(
            uuid: "180F",
            characteristics: [GATTCharacteristic(uuid: "2A19", properties: [.read])]
        )
        let scene = try await Scene([Sample.gatt, battery])
        let link = try await scene.link()
        let services = await link.services
        #expect(services.map(\.uuid) == [Sample.service, "180F"])
        #expect(services.attributes.map(\.id).contains(Sample.second))
        #expect(services[Sample.level]?.descriptors.map(\.uuid) == ["2901", "2902"])
        #expect(services[Sample.level]?.descriptors.allSatisfy(\.value.isEmpty) == true)
        for id in [Sample.level, Sample.second] { try await link.write([1], to: id) }
        _ = try await link.read(AttributeID(service: "180F", characteristic: "2A19"))
        let calls = try await scene.responder.calls.first(5).suffix(3)
        #expect(
            calls == [
                "Phone writes [1] to 2A19/0", "Phone writes [1] to 2A19/1",
                "Phone reads 2A19/0 at 0",
            ]
        )
    }

    @Test func `see services of several publications, and those that come later`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        let responder = ScriptedResponder()
        let later = try await scene.peripheral.publish(
            Sample.gatt,
            advertising: nil,
            responder: responder
        )
        await scene.air.waitUntilDelivered()
        #expect(await link.services.count == 2)
        let third = AttributeID(service: Sample.service, characteristic: "2A19", instance: 2)
        try await link.write([1], to: third)
        let calls = try await responder.calls.first(3)
        #expect(calls == ["published", "Phone connected", "Phone writes [1] to 2A19/0"])
        await later.withdraw()
        await scene.air.waitUntilDelivered()
        #expect(await link.services.count == 1)
        await expect(.missingAttribute) { try await link.write([1], to: third) }
    }

    @Test func `get the responder's values and errors`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        await scene.responder.setReply(.success([1, 2]))
        #expect(try await link.read(Sample.level) == [1, 2])
        try await link.write([3], to: Sample.level)
        let error = ATTError(rawValue: 0x81)
        await scene.responder.setReply(.failure(error))
        await #expect(throws: error) { _ = try await link.read(Sample.level) }
        await #expect(throws: error) { try await link.write([3], to: Sample.level) }
    }

    @Test func `are refused where the characteristic does not have the property`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        await #expect(throws: ATTError.readNotPermitted) { _ = try await link.read(Sample.alert) }
        await #expect(throws: ATTError.writeNotPermitted) {
            try await link.write([1], to: Sample.alert)
        }
        await expect(.unsupported) { try await link.writeWithoutResponse([1], to: Sample.level) }
        await expect(.unsupported) { try await link.subscribe(to: Sample.command) }
        let none = AttributeID(service: Sample.service, characteristic: "2AFF")
        await expect(.missingAttribute) { _ = try await link.read(none) }
    }

    @Test func `read a long value in parts`() async throws {
        var configuration = MemoryRadio.Configuration()
        configuration.mtuBytes = 23
        let scene = try await Scene(central: configuration)
        let link = try await scene.link()
        for count in [21, 22, 23, 44, 512] {
            let value = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            await scene.responder.setReply(.success(value))
            #expect(try await link.read(Sample.level) == value)
        }
        let offsets = await scene.responder.requests.map(\.offset).prefix(6)
        #expect(offsets == [0, 0, 22, 0, 22, 0])
        #expect(await scene.responder.requests.allSatisfy { $0.mtuBytes == 23 })
    }

    @Test func `write up to 512 bytes at once`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        await scene.air.simulateMTUChange(to: 23, between: scene.central, and: scene.peripheral)
        await scene.air.waitUntilDelivered()
        #expect(await link.maximumWriteByteCount(.withResponse) == 512)
        #expect(await link.maximumWriteByteCount(.withoutResponse) == 20)
        let value = [UInt8](repeating: 7, count: 512)
        try await link.write(value, to: Sample.level)
        #expect(try await scene.responder.calls.first(3).last?.contains("\(value)") == true)
        await expect(.valueTooLong) { try await link.write(value + [7], to: Sample.level) }
        let long = [UInt8](repeating: 7, count: 21)
        await expect(.valueTooLong) {
            try await link.writeWithoutResponse(long, to: Sample.command)
        }
    }

    @Test func `keep their order, with and without a response`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        for value in UInt8(0)..<20 {
            try await link.writeWithoutResponse([value], to: Sample.command)
            try await link.write([value], to: Sample.level)
        }
        let calls = try await scene.responder.calls.first(42).dropFirst(2)
        let expected = (0..<20).flatMap {
            ["Phone writes [\($0)] to 2A20/0", "Phone writes [\($0)] to 2A19/0"]
        }
        #expect(Array(calls) == expected)
    }

    @Test func `say how a value was written, where the system does`() async throws {
        for isTold in [true, false] {
            var configuration = MemoryRadio.Configuration()
            if !isTold { configuration.features.remove(.writeKinds) }
            let scene = try await Scene(peripheral: configuration)
            let link = try await scene.link()
            try await link.writeWithoutResponse([1], to: Sample.command)
            try await link.write([1], to: Sample.level)
            _ = try await link.read(Sample.level)
            let kinds = await scene.responder.requests.map(\.writeKind)
            #expect(kinds == (isTold ? [.withoutResponse, .withResponse, nil] : [nil, nil, nil]))
        }
    }

    @Test func `read descriptors, which cannot be written`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        #expect(try await link.read(Sample.label) == Array("Level".utf8))
        await #expect(throws: ATTError.writeNotPermitted) {
            try await link.write([1], to: Sample.label)
        }
        let none = DescriptorID(characteristic: Sample.level, descriptor: "2904")
        await expect(.missingAttribute) { _ = try await link.read(none) }
        let configuration = DescriptorID(characteristic: Sample.level, descriptor: "2902")
        #expect(try await link.read(configuration) == [0, 0])
        try await link.subscribe(to: Sample.level)
        #expect(try await link.read(configuration) == [1, 0])
    }

    @Test func `wait for a reply that never comes until they are cancelled`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        await scene.peripheral.simulateReplies(false)
        let first = Task { try await link.read(Sample.level) }
        while await scene.air.requestCount < 1 { await Task.yield() }
        let second = Task { try await link.write([1], to: Sample.level) }
        while await scene.air.requestCount < 2 { await Task.yield() }
        await scene.air.waitUntilDelivered()
        first.cancel()
        await #expect(throws: CancellationError.self) { _ = try await first.value }
        await scene.peripheral.simulateReplies(true)
        // It waits behind the one that was cancelled.
        await scene.air.waitUntilDelivered()
        await link.disconnect()
        await expect(.peerGone) { try await second.value }
        let again = try await scene.link()
        _ = try await again.read(Sample.level)
        let calls = try await scene.responder.calls.first(4)
        #expect(!calls.contains("Phone writes [1] to 2A19/0"))
    }

    @Test func `fail with the connection`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        await scene.responder.hold()
        let read = Task { try await link.read(Sample.level) }
        _ = try await scene.responder.calls.first(3)
        await scene.air.simulateDisconnection(between: scene.central, and: scene.peripheral)
        await expect(.peerGone) { _ = try await read.value }
        await scene.responder.release()
    }

    @Test func `fail with their link alone`() async throws {
        let scene = try await Scene()
        let (one, other) = (try await scene.link(), try await scene.link())
        await scene.responder.hold()
        let read = Task { try await one.read(Sample.level) }
        _ = try await scene.responder.calls.first(3)
        let write = Task { try await other.write([1], to: Sample.level) }
        while await scene.air.requestCount < 2 { await Task.yield() }
        await one.disconnect()
        await expect(.peerGone) { _ = try await read.value }
        await scene.responder.release()
        try await write.value
    }

    @Test func `are refused when the responder takes more than 4 s`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        await scene.responder.hold()
        let slow = Task { try await link.write([1], to: Sample.level) }
        var calls = scene.responder.calls.makeAsyncIterator()
        while await calls.next()?.contains("writes [1]") == false {}
        await scene.clock.pass(.seconds(4))
        await #expect(throws: ATTError.unlikelyError) { try await slow.value }
        // It waits for the responder, and is refused without having been handed over.
        let second = Task { try await link.write([2], to: Sample.level) }
        while await scene.air.requestCount < 1 { await Task.yield() }
        await scene.clock.pass(.seconds(4))
        await #expect(throws: ATTError.unlikelyError) { try await second.value }
        await scene.responder.release()
        try await link.write([3], to: Sample.level)
        #expect(await calls.next() == "Phone writes [3] to 2A19/0")
    }
}
