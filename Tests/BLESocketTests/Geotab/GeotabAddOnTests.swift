import Testing

@testable import BLESocket

/// What the add-on's end does with each event.
@Suite("An add-on of the Geotab protocol")
struct GeotabAddOnTests {
    private static let request: [UInt8] = [0x02, 0x01, 0x00, 0x03, 0x08, 0x03]
    private static let acknowledgement: [UInt8] = [0x02, 0x02, 0x00, 0x04, 0x0A, 0x03]
    private static let confirmation = "81 5F 10 01 00"

    private var addOn = GeotabAddOn(.keyless)

    @Test mutating func `syncs each second, confirms, and is open when that is acknowledged`() {
        #expect(addOn.take(.opened, at: 0) == ["55"])
        #expect(addOn.deadline == .seconds(1))
        #expect(addOn.take(.time, at: 1) == ["55"])
        #expect(addOn.take(.received(Self.request), at: 1) == [Self.confirmation])
        #expect(!addOn.isConnected)
        #expect(addOn.take(.received(Self.acknowledgement), at: 2) == ["opened"])
        #expect(addOn.isConnected)
        #expect(addOn.deadline == nil)
    }

    @Test mutating func `is open at once when it asks for no acknowledgement`() {
        addOn = GeotabAddOn(GeotabAddOn.Configuration(deviceID: 4108, flags: []))
        _ = addOn.take(.opened, at: 0)
        #expect(addOn.take(.received(Self.request), at: 0) == ["81 0C 10 00 00", "opened"])
    }

    @Test mutating func `answers a request at any time`() {
        _ = addOn.take(.opened, at: 0)
        _ = addOn.take(.received(Self.request), at: 0)
        #expect(addOn.take(.received(Self.request), at: 1) == [Self.confirmation])
        _ = addOn.take(.received(Self.acknowledgement), at: 2)
        #expect(addOn.take(.received(Self.request), at: 3) == [Self.confirmation])
        #expect(addOn.isConnected)
        #expect(addOn.take(.received(Self.acknowledgement), at: 3).isEmpty)
    }

    @Test mutating func `takes a frame in writes of one byte`() {
        _ = addOn.take(.opened, at: 0)
        for byte in Self.request.dropLast() {
            #expect(addOn.take(.received([byte]), at: 0).isEmpty)
        }
        #expect(addOn.take(.received([0x03]), at: 0) == [Self.confirmation])
    }

    @Test mutating func `reports garbage while it shakes hands, and goes on`() {
        _ = addOn.take(.opened, at: 0)
        #expect(addOn.take(.received([0xAA]), at: 0) == ["malformedData"])
        #expect(addOn.take(.received(Self.request), at: 0) == [Self.confirmation])
        var wrong = Self.acknowledgement
        wrong[3] = 0
        #expect(addOn.take(.received(wrong), at: 0) == ["malformedData"])
        // The rest of the wrong one seems to begin another.
        #expect(addOn.take(.received(Self.acknowledgement), at: 0) == ["malformedData", "opened"])
    }

    @Test mutating func `closes when no device shakes hands in time`() {
        _ = addOn.take(.opened, at: 0)
        #expect(addOn.take(.send(1, [9]), at: 1).isEmpty)
        #expect(addOn.take(.time, at: 90) == ["failed 1 timedOut", "close timedOut"])
        #expect(addOn.deadline == nil)
        #expect(addOn.take(.received(Self.request), at: 91).isEmpty)
        #expect(addOn.take(.opened, at: 92) == ["55"])
    }

    @Test
    mutating func `syncs again when the acknowledgement does not come, and closes at the limit`() {
        _ = addOn.take(.opened, at: 0)
        _ = addOn.take(.received(Self.request), at: 60)
        #expect(addOn.deadline == .seconds(63))
        #expect(addOn.take(.time, at: 63) == ["55"])
        #expect(addOn.deadline == .seconds(64))
        #expect(addOn.take(.received(Self.request), at: 64) == [Self.confirmation])
        #expect(addOn.take(.time, at: 90) == ["close timedOut"])
    }

    /// Its acknowledgement was lost, is late, or another frame has passed it.
    @Test(arguments: [2, 5])
    mutating func `is open when a device says what only one says that knows it`(
        seconds: Int
    ) throws {
        let data = try GeotabFrame(.extendedData, [1, 2]).bytes
        let vehicle = try GeotabFrame(.vehicleData, VehicleData().bytes).bytes
        for (frame, actions) in [
            (Self.acknowledgement, []), (data, ["received 01 02"]), (vehicle, ["84", "vehicle"]),
            (GeotabFrame(.result, checked: [1, 0, 0, 0]).bytes, ["malformedData"]),
        ] as [([UInt8], [String])] {
            addOn = GeotabAddOn(.keyless)
            _ = addOn.take(.opened, at: 0)
            _ = addOn.take(.send(1, [9]), at: 0)
            // Not of one that takes this end for the one before.
            #expect(addOn.take(.received(frame), at: 0).isEmpty)
            _ = addOn.take(.received(Self.request), at: 1)
            // After 3 s it shows again that it is there.
            if seconds > 4 { #expect(addOn.take(.time, at: 4) == ["55"]) }
            #expect(addOn.take(.received(frame), at: seconds) == ["opened"] + actions + ["88 09"])
            #expect(addOn.isConnected)
            #expect(addOn.take(.received(Self.acknowledgement), at: seconds).isEmpty)
        }
    }

    @Test mutating func `sends one message after the other, and reports what came of each`() {
        connect()
        #expect(addOn.take(.send(1, [1]), at: 3) == ["88 01"])
        #expect(addOn.take(.send(2, [2]), at: 4).isEmpty)
        #expect(addOn.take(.result(1), at: 5) == ["sent 1", "88 02"])
        #expect(addOn.take(.result(0), at: 6) == ["failed 2 refused"])
        #expect(addOn.take(.result(1), at: 7) == ["malformedData"])
        #expect(addOn.deadline == nil)
    }

    @Test mutating func `sends when it is connected what it was given before`() {
        _ = addOn.take(.opened, at: 0)
        _ = addOn.take(.send(1, [1]), at: 0)
        _ = addOn.take(.received(Self.request), at: 0)
        #expect(addOn.take(.received(Self.acknowledgement), at: 0) == ["opened", "88 01"])
    }

    @Test mutating func `closes when a result does not come, as a late one would be another's`() {
        connect()
        _ = addOn.take(.send(1, [1]), at: 3)
        _ = addOn.take(.send(2, [2]), at: 4)
        #expect(addOn.deadline == .seconds(33))
        #expect(
            addOn.take(.time, at: 33) == [
                "failed 1 timedOut", "failed 2 timedOut", "close timedOut",
            ]
        )
    }

    @Test mutating func `waits for the result of a message that was cancelled`() {
        connect()
        _ = addOn.take(.send(1, [1]), at: 3)
        _ = addOn.take(.send(2, [2]), at: 3)
        _ = addOn.take(.send(3, [3]), at: 3)
        #expect(addOn.take(.cancel(2), at: 4) == ["failed 2 cancelled"])
        #expect(addOn.take(.cancel(1), at: 4) == ["failed 1 cancelled"])
        #expect(addOn.take(.cancel(1), at: 4).isEmpty)
        #expect(addOn.take(.result(1), at: 5) == ["88 03"])
        #expect(addOn.take(.result(1), at: 6) == ["sent 3"])
    }

    @Test mutating func `takes no more messages than may wait`() {
        var configuration = GeotabAddOn.Configuration.iox
        configuration.maximumMessageCount = 2
        addOn = GeotabAddOn(configuration)
        connect()
        for id in 1...3 { _ = addOn.take(.send(id, []), at: 3) }
        #expect(addOn.take(.send(4, []), at: 3) == ["failed 4 full"])
        #expect(addOn.take(.result(1), at: 3) == ["sent 1", "88"])
        #expect(addOn.take(.send(5, []), at: 3).isEmpty)
    }

    @Test mutating func `fails what it cannot send`() {
        #expect(addOn.take(.send(1, [1]), at: 0) == ["failed 1 notConnected"])
        connect()
        let long = [UInt8](repeating: 0, count: 65_536)
        #expect(addOn.take(.send(2, long), at: 0) == ["failed 2 tooLong"])
        _ = addOn.take(.send(3, [3]), at: 0)
        #expect(addOn.take(.closed, at: 1) == ["failed 3 notConnected"])
        #expect(addOn.take(.closed, at: 1).isEmpty)
    }

    @Test mutating func `passes on data, and acknowledges what is told of the vehicle`() throws {
        connect()
        let data = try GeotabFrame(.extendedData, [1, 2])
        let vehicle = try GeotabFrame(.vehicleData, VehicleData().bytes)
        #expect(
            addOn.take(.received(data.bytes + vehicle.bytes), at: 3) == [
                "received 01 02", "84", "vehicle",
            ]
        )
        let short = try GeotabFrame(.vehicleData, Array(repeating: 0, count: 39))
        #expect(addOn.take(.received(short.bytes), at: 3) == ["malformedData"])
        let unknown = try GeotabFrame(.init(rawValue: 0x7F), [1])
        #expect(addOn.take(.received(unknown.bytes), at: 3).isEmpty)
    }

    @Test mutating func `reads on after a frame whose rest does not come`() throws {
        connect()
        let data = try GeotabFrame(.extendedData, [1, 2, 3])
        #expect(addOn.take(.received(Array(data.bytes.dropLast())), at: 3).isEmpty)
        #expect(addOn.deadline == .seconds(8))
        #expect(addOn.take(.time, at: 8) == ["malformedData"])
        #expect(addOn.take(.received(data.bytes), at: 9) == ["received 01 02 03"])
    }

    private mutating func connect() {
        _ = addOn.take(.opened, at: 0)
        _ = addOn.take(.received(Self.request), at: 1)
        _ = addOn.take(.received(Self.acknowledgement), at: 2)
    }
}

extension GeotabAddOn.Event {
    /// The device says what came of a message.
    fileprivate static func result(_ value: UInt8) -> Self {
        .received(GeotabFrame(.result, checked: [value, 0, 0, 0]).bytes)
    }
}

extension GeotabAddOn {
    fileprivate mutating func take(_ event: Event, at seconds: Int) -> [String] {
        handle(event, at: .seconds(seconds)).map(\.name)
    }
}

extension GeotabAddOn.Action {
    fileprivate var name: String {
        switch self {
        case .transmit(let bytes): Self.name(of: bytes)
        case .opened: "opened"
        case .received(let bytes): (["received"] + bytes.map(\.hexadecimal)).joined(separator: " ")
        case .receivedVehicleData: "vehicle"
        case .sent(let id): "sent \(id)"
        case .failedToSend(let id, let error): "failed \(id) \(error.code)"
        case .failedToReceive(let error): "\(error.code)"
        case .close(let error): "close \(error.code)"
        }
    }

    /// The kind and the body of a frame.
    private static func name(of bytes: [UInt8]) -> String {
        var reader = GeotabFrameReader()
        guard case .frame(let frame) = reader.read(bytes, at: .zero).first else {
            return bytes.map(\.hexadecimal).joined(separator: " ")
        }
        return ([frame.kind.rawValue] + frame.body).map(\.hexadecimal).joined(separator: " ")
    }
}

extension UInt8 {
    fileprivate var hexadecimal: String {
        let digits = String(self, radix: 16, uppercase: true)
        return digits.count < 2 ? "0" + digits : digits
    }
}
