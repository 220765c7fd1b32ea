import Testing

@testable import BLESocket

/// The bytes of frames, and how they are found in a stream.
@Suite("A frame of the Geotab protocol")
struct GeotabFrameTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        let kind: GeotabFrame.Kind
        let body: [UInt8]
        let bytes: [UInt8]

        init(_ name: String, _ kind: UInt8, _ body: [UInt8], _ text: String) {
            self.name = name
            self.kind = GeotabFrame.Kind(rawValue: kind)
            self.body = body
            bytes = Self.bytes(text)
        }

        var testDescription: String { name }

        static func bytes(_ text: String) -> [UInt8] {
            text.split(separator: " ").compactMap { UInt8($0, radix: 16) }
        }
    }

    private static let twenty = Vector.bytes(
        "01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20"
    )
    private static let challenge = [0x01, 0x01, 0x00] + (UInt8(0)..<32)

    static let vectors = [
        Vector("handshake request", 0x01, [], "02 01 00 03 08 03"),
        Vector("acknowledgement", 0x02, [], "02 02 00 04 0A 03"),
        Vector("Keyless", 0x81, [0x5F, 0x10, 1, 0], "02 81 04 5F 10 01 00 F7 D6 03"),
        Vector("IOX", 0x81, [0x2D, 0x10, 1, 0], "02 81 04 2D 10 01 00 C5 0E 03"),
        Vector("4108", 0x81, [0x0C, 0x10, 0, 0], "02 81 04 0C 10 00 00 A3 88 03"),
        Vector("application data", 0x88, [1], "02 88 01 00 01 8C 2E 03"),
        Vector("extended data", 0x24, [1], "02 24 01 00 01 28 9E 03"),
        Vector(
            "20 bytes",
            0x88,
            twenty,
            "02 88 14 00 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 B8 B6 03"
        ),
        Vector(
            "20 bytes to the add-on",
            0x24,
            twenty,
            "02 24 14 00 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 54 BA 03"
        ),
        Vector("success", 0x22, [1, 0, 0, 0], "02 22 04 01 00 00 00 29 F2 03"),
        Vector("failure", 0x22, [0, 0, 0, 0], "02 22 04 00 00 00 00 28 EE 03"),
        Vector("a request to send", 0x88, [0, 1, 0], "02 88 03 00 00 01 00 8E 4F 03"),
        Vector(
            "a challenge",
            0x24,
            challenge,
            "02 24 23 00 01 01 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 14 "
                + "15 16 17 18 19 1A 1B 1C 1D 1E 1F 3B 4A 03"
        ),
        Vector("its end", 0x24, [0x81, 0], "02 24 02 00 81 00 A9 CA 03"),
        Vector("status", 0x80, [0x0F, 0x27, 0xE6, 0, 0, 0], "02 80 06 0F 27 E6 00 00 00 A4 F1 03"),
        Vector("vehicle data acknowledged", 0x84, [], "02 84 00 86 0E 03"),
        Vector("vehicle data requested", 0x85, [], "02 85 00 87 10 03"),
        Vector(
            "vehicle data",
            0x21,
            vehicleData.bytes,
            "02 21 28 00 E5 DA 21 20 76 04 1A C0 92 AF D0 32 40 1F 40 E2 01 00 3F 7B 00 00 00 D7 11 "
                + "00 00 58 02 00 00 04 03 02 01 00 00 00 00 6A 07 03"
        ),
    ]

    /// 2020-01-01T00:00:00Z, Toronto.
    private static var vehicleData: VehicleData {
        var data = VehicleData()
        data.seconds = 567_993_600
        data.latitude = 436_500_000
        data.longitude = -793_800_000
        data.speed = 50
        data.engineSpeed = 8_000
        data.odometer = 123_456
        data.flags = VehicleData.Flags(rawValue: 0x3F)
        data.tripDistance = 123
        data.engineHours = 4_567
        data.tripSeconds = 600
        data.vehicle = 0x0102_0304
        return data
    }

    @Test(arguments: vectors)
    func `has these bytes`(vector: Vector) throws {
        #expect(try GeotabFrame(vector.kind, vector.body).bytes == vector.bytes)
    }

    @Test(arguments: vectors)
    func `is read from these bytes`(vector: Vector) throws {
        var reader = GeotabFrameReader()
        let frame = try GeotabFrame(vector.kind, vector.body)
        #expect(reader.read(vector.bytes, at: .zero) == [.frame(frame)])
        #expect(reader.deadline == nil)
    }

    @Test func `has no body that its length cannot say`() throws {
        #expect(throws: SocketError.self) {
            try GeotabFrame(.vehicleData, Array(repeating: 0, count: 256))
        }
        let long = [UInt8](repeating: 7, count: 65_535)
        #expect(try GeotabFrame(.applicationData, long).bytes.prefix(4) == [2, 0x88, 0xFF, 0xFF])
        #expect(throws: SocketError.self) { try GeotabFrame(.applicationData, long + [7]) }
    }

    @Test func `has vehicle data of 40 bytes or more`() {
        let body = Self.vehicleData.bytes
        #expect(VehicleData(body) == Self.vehicleData)
        #expect(VehicleData(body + [1, 2, 3]) == Self.vehicleData)
        #expect(VehicleData(body.dropLast()) == nil)
        #expect(VehicleData([]) == nil)
    }
}

extension VehicleData {
    fileprivate init?(_ body: ArraySlice<UInt8>) {
        self.init(Array(body))
    }
}
