import BLE
import BLEDBusTesting
import Testing
import VirtualBlueZ

@testable import BlueZ

/// What a link does beyond reads and writes with a response.
@Suite("A link's access to attributes", .timeLimit(.minutes(10)))
struct AttributeAccessTests {
    @Test func `discovers services, characteristics of one UUID, and descriptors`() async throws {
        let room = try await Room()
        _ = try await room.publish()
        let link = try await room.link()
        let services = try await link.discoverServices()
        let found = services.filter { [Room.service, Room.other].contains($0.uuid) }
        #expect(found.attributes.map(\.id).contains(Room.secondLevel))
        #expect(found[Room.secondLevel]?.properties == .read)
        #expect(found[Room.level]?.properties == [.read, .notify])
        let descriptors = found[Room.input]?.descriptors.map(\.uuid) ?? []
        #expect(descriptors.contains("2901"))
        await room.close()
    }

    @Test func `tells characteristics of one UUID apart`() async throws {
        let room = try await Room()
        let publication = try await room.publish()
        let link = try await room.link()
        await room.responder.answer(.success([5]))
        _ = try await link.read(Room.secondLevel)
        var calls = room.responder.calls.makeAsyncIterator()
        guard case .read(Room.secondLevel, _) = await calls.next() else {
            Issue.record("another characteristic was read")
            return
        }
        try await link.subscribe(to: Room.level)
        try await publication.update(Room.level, to: [6])
        var events = link.events.makeAsyncIterator()
        guard case .notification(Room.level, [6]) = await events.next() else {
            Issue.record("another characteristic was notified")
            return
        }
        await room.close()
    }

    @Test func `reads and refuses descriptors`() async throws {
        let room = try await Room()
        _ = try await room.publish()
        let link = try await room.link()
        let description = DescriptorID(characteristic: Room.input, descriptor: "2901")
        #expect(try await link.read(description) == Array("In".utf8))
        await #expect(throws: (any Error).self) { try await link.write([1], to: description) }
        let missing = DescriptorID(characteristic: Room.output, descriptor: "2901")
        await #expect { _ = try await link.read(missing) } throws: {
            isRadioError(.missingAttribute)($0)
        }
        await room.close()
    }

    @Test(arguments: [23, 185, 517])
    func `writes without a response, in order, what fits into the MTU`(mtu: Int) async throws {
        let room = try await Room(mtu: mtu)
        _ = try await room.publish()
        let link = try await room.link()
        let limit = await link.maximumWriteByteCount(.withoutResponse)
        #expect(limit == min(mtu - 3, 508))
        #expect(await link.maximumWriteByteCount(.withResponse) == 512)
        for number in 0..<60 {
            let value = [UInt8](repeating: UInt8(number), count: limit)
            try await link.writeWithoutResponse(value, to: Room.input)
        }
        var calls = room.responder.calls.makeAsyncIterator()
        for number in 0..<60 {
            guard case .write(Room.input, let value, _) = await calls.next() else {
                Issue.record("\(number) did not arrive")
                return
            }
            #expect(value == [UInt8](repeating: UInt8(number), count: limit))
        }
        await #expect {
            let long = [UInt8](repeating: 0, count: limit + 1)
            try await link.writeWithoutResponse(long, to: Room.input)
        } throws: {
            isRadioError(.valueTooLong)($0)
        }
        await #expect {
            try await link.writeWithoutResponse([1], to: Room.output)
        } throws: {
            isRadioError(.unsupported)($0)
        }
        await room.close()
    }

    @Test func `writes with exclusive access, which others wait for in vain`() async throws {
        let room = try await Room()
        _ = try await room.publish()
        let link = try await room.link()
        let writer = try await link.acquireWriter(for: Room.input)
        #expect(writer.maximumByteCount == 508)
        await #expect { _ = try await link.acquireWriter(for: Room.input) } throws: {
            isRadioError(.busy)($0)
        }
        for number in 0..<600 { try await writer.write([UInt8(number % 256), 1]) }
        var calls = room.responder.calls.makeAsyncIterator()
        for number in 0..<600 {
            guard case .write(Room.input, [UInt8(number % 256), 1], _) = await calls.next() else {
                Issue.record("\(number) did not arrive")
                return
            }
        }
        for value in [[], [UInt8](repeating: 0, count: 509)] {
            await #expect { try await writer.write(value) } throws: {
                isRadioError(.valueTooLong)($0)
            }
        }
        await writer.close()
        await #expect { try await writer.write([1]) } throws: { isRadioError(.peerGone)($0) }
        await #expect { _ = try await link.acquireWriter(for: Room.output) } throws: {
            isRadioError(.unsupported)($0)
        }
        await room.close()
    }

    @Test(arguments: [BlueZVersion.v5_66, .v5_82])
    func `fails exclusive writes once the connection is lost`(version: BlueZVersion) async throws {
        let room = try await Room(version)
        _ = try await room.publish()
        let link = try await room.link()
        let writer = try await link.acquireWriter(for: Room.input)
        await room.daemon.simulateDisconnection(between: 0, and: 1)
        for await _ in link.events {}
        await #expect { try await writer.write([1]) } throws: { isRadioError(.peerGone)($0) }
        await room.close()
    }

    @Test func `reads notifications with exclusive access, until the connection is lost`()
        async throws
    {
        let room = try await Room()
        let publication = try await room.publish()
        let link = try await room.link()
        let reader = try await link.acquireReader(for: Room.output)
        var values = reader.values.makeAsyncIterator()
        for number in 0..<100 {
            try await publication.update(Room.output, to: [UInt8(number)])
            #expect(try await values.next() == [UInt8(number)])
        }
        await #expect { try await link.subscribe(to: Room.output) } throws: {
            isRadioError(.busy)($0)
        }
        await room.daemon.simulateDisconnection(between: 0, and: 1)
        for await _ in link.events {}
        let rest = reader.values
        await #expect {
            for try await _ in rest {}
        } throws: {
            isRadioError(.peerGone)($0)
        }
        await room.close()
    }

    @Test func `reads a value without bytes, and those behind it`() async throws {
        let room = try await Room()
        let publication = try await room.publish()
        let link = try await room.link()
        let reader = try await link.acquireReader(for: Room.output)
        var values = reader.values.makeAsyncIterator()
        for value in [[], [1], []] as [[UInt8]] {
            try await publication.update(Room.output, to: value)
            #expect(try await values.next() == value)
        }
        await room.close()
    }

    @Test func `gives the access back when nobody takes the values`() async throws {
        let room = try await Room()
        let publication = try await room.publish()
        let link = try await room.link()
        let reader = try await link.acquireReader(for: Room.output)
        for number in 0..<640 {
            try await publication.update(Room.output, to: [UInt8(number % 256)])
        }
        for await case .unsubscribed(Room.output, _) in room.responder.events { break }
        await #expect {
            for try await _ in reader.values {}
        } throws: {
            isRadioError(.overflow)($0)
        }
        try await link.subscribe(to: Room.output)
        await room.close()
    }

    /// Takes a millisecond for each write, and says at the end what it got.
    private actor SlowResponder: GATTResponder {
        private(set) var numbers: [Int] = []
        private(set) var lost = 0

        func write(
            _ value: [UInt8],
            to characteristic: AttributeID,
            _ request: GATTRequest
        ) async throws(ATTError) {
            numbers.append(Int(value[0]) << 8 | Int(value[1]))
            try? await ContinuousClock().sleep(for: .milliseconds(1))
        }

        func handle(_ event: PublicationEvent) async {
            if case .lostWrites(let count, _, _) = event { lost += count }
        }
    }

    @Test func `brings all write commands to a slow responder, or says how many were lost`()
        async throws
    {
        let room = try await Room(centrals: 1, .v5_82)
        let responder = SlowResponder()
        _ = try await room.serving.publish(
            Room.services,
            advertising: Advertisement(localName: "Room", serviceUUIDs: [Room.service]),
            options: .lostRefusals,
            responder: responder
        )
        let link = try await room.link()
        let count = 2_000
        for number in 0..<count {
            let value = [UInt8(number >> 8), UInt8(number & 0xFF)]
            try await link.writeWithoutResponse(value, to: Room.input)
        }
        while await responder.numbers.count + responder.lost < count {
            try await ContinuousClock().sleep(for: .milliseconds(10))
        }
        let numbers = await responder.numbers
        #expect(numbers == numbers.sorted())
        #expect(await numbers.count + responder.lost == count)
        await room.close()
    }

    @Test func `gives the access back with the last reference to it`() async throws {
        let room = try await Room()
        let publication = try await room.publish()
        let link = try await room.link()
        let device = try #require((link as? RemoteLink)?.device)
        for _ in 0..<3 {
            _ = try await Self.untilFree { try await link.acquireWriter(for: Room.input) }
            _ = try await Self.untilFree { try await link.acquireReader(for: Room.output) }
        }
        // The reader itself is gone as soon as it was asked for its values.
        do {
            let values = try await Self.untilFree {
                try await link.acquireReader(for: Room.output)
            }.values
            try await publication.update(Room.output, to: [1])
            for try await value in values {
                #expect(value == [1])
                break
            }
        }
        try await Self.untilFree { try await link.subscribe(to: Room.output) }
        while await !device.acquired.isEmpty { await Task.yield() }
        await room.close()
    }

    @Test func `forgets access that bluetoothd has ended`() async throws {
        let room = try await Room()
        _ = try await room.publish()
        let link = try await room.link()
        let device = try #require((link as? RemoteLink)?.device)
        let reader = try await link.acquireReader(for: Room.output)
        #expect(await device.acquiredPaths.count == 1)
        let foreigner = try await ForeignClient.open(on: room.bus.address)
        try await foreigner.stopNotify(Room.output.characteristic.longText, of: 1, with: 0)
        await #expect { for try await _ in reader.values {} } throws: {
            isRadioError(.peerGone)($0)
        }
        while await !device.acquired.isEmpty { await Task.yield() }
        #expect(await device.acquiredPaths.isEmpty)
        await room.close()
    }

    /// Does something once the daemon, which reads the sockets' ends at its leisure, has noticed that they are closed.
    private static func untilFree<Output: Sendable>(
        _ work: () async throws -> Output
    ) async throws -> Output {
        while true {
            do {
                return try await work()
            } catch let error as RadioError where error.code == .busy {
                await Task.yield()
            }
        }
    }

    @Test func `leaves no access behind when it is disconnected`() async throws {
        let room = try await Room()
        _ = try await room.publish()
        let first = try await room.link()
        let second = try await room.link()
        _ = try await first.acquireWriter(for: Room.input)
        _ = try await first.acquireReader(for: Room.output)
        await first.disconnect()
        // The daemon reads the sockets' ends at its leisure.
        while true {
            do {
                try await second.subscribe(to: Room.output)
                try await second.write([1], to: Room.input)
                break
            } catch let error as RadioError where error.code == .busy {
                await Task.yield()
            }
        }
        await second.disconnect()
        for await event in room.responder.events {
            if case .disconnected = event { break }
        }
        await room.close()
    }
}
