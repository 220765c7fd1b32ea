import Testing

@testable import BLEDBus

@Suite("A value")
struct ValueTests {
    static let travellers: [Value] = [
        .byte(255), .bool(true), .bool(false), .int16(-2), .uint16(65535), .int32(-3),
        .uint32(4_000_000_000), .int64(.min), .uint64(.max), .double(-0.5), .string(""),
        .string("Yes – definitely."), .string("\u{FFFE}"), .objectPath("/org/bluez/hci0"),
        .signature("a{sv}"), .bytes([]), .bytes([0, 1, 2]), .array(of: "s", []),
        .strings(["a", ""]),
        .array(of: "ai", [.array(of: "i", [.int32(1)]), .array(of: "i", [])]),
        .array(of: "t", [.uint64(1), .uint64(2)]),
        .structure([.byte(1), .string("x"), .structure([.uint64(7)])]),
        .variant(.variant(.int16(-50))), .properties([:]),
        .properties(["Value": .bytes([1]), "RSSI": .int16(-50), "UUIDs": .strings(["a"])]),
        .dictionary(
            key: "q",
            value: "(sv)",
            [.init(.uint16(0x4C), .structure([.string("k"), .variant(.bool(true))]))]
        ),
    ]

    @Test(arguments: travellers)
    func `is read as it was written`(value: Value) throws {
        // A byte in front puts everything off its alignment.
        let call = try Message.methodCall(to: "a.b", at: "/", "a.b", "C", [.byte(9), value])
        let bytes = try MessageHeader.marshal(call, serial: 7)
        let received = try #require(try unmarshal(bytes))
        #expect(try received.body() == [.byte(9), value])
        #expect(received.serial == 7)
        #expect(received.signature.rawValue == "y" + value.signature.rawValue)
    }

    @Test(arguments: travellers)
    func `is stepped over`(value: Value) throws {
        let message = try Message.signal(from: "/", "a.b", "C", [value, .string("end")])
        let end = try message.read { (reader) throws(BusError) in
            try reader.skip()
            return try reader.readString()
        }
        #expect(end == "end")
    }

    @Test(arguments: travellers)
    func `is taken by libdbus`(value: Value) throws {
        let message = try Message.signal(from: "/", "a.b", "C", [value])
        let raw = try RawMessage(message, serial: 1)
        var strings = StringCache()
        #expect(try raw.value(&strings)?.body() == [value])
    }

    @Test(
        arguments: [
            .string("zero\0byte"), .structure([]), .array(of: "ss", []), .array(of: "", []),
            .array(of: "i", [.string("x")]), .dictionary(key: "v", value: "s", []),
            .dictionary(key: "as", value: "s", []), .dictionary(key: "s", value: "ss", []),
            .dictionary(key: "s", value: "v", [.init(.byte(1), .variant(.byte(1)))]),
            .variant(.structure([])), nested(33),
        ] as [Value]
    )
    func `that libdbus or the bus would not bear is refused`(value: Value) {
        #expect { try Message.signal(from: "/", "a.b", "C", [value]) } throws: {
            ($0 as? BusError)?.code == .invalidMessage
        }
    }

    static func nested(_ depth: Int) -> Value {
        (0..<depth).reduce(.byte(1)) { value, _ in .variant(value) }
    }

    @Test func `in the other byte order is read alike`() throws {
        // A signal with the body (u 1, s "hi", n -2), marshalled by hand, big-endian.
        let frame: [UInt8] =
            [UInt8(ascii: "B"), 4, 1, 1, 0, 0, 0, 14, 0, 0, 0, 5, 0, 0, 0, 41]
            + [1, 1, UInt8(ascii: "o"), 0, 0, 0, 0, 1, UInt8(ascii: "/"), 0, 0, 0, 0, 0, 0, 0]
            + [2, 1, UInt8(ascii: "s"), 0, 0, 0, 0, 3] + Array("a.b".utf8) + [0, 0, 0, 0, 0]
            + [8, 1, UInt8(ascii: "g"), 0, 3] + Array("usn".utf8) + [0, 0, 0, 0, 0, 0, 0, 0]
            + [0, 0, 0, 1, 0, 0, 0, 2] + Array("hi".utf8) + [0, 0, 0xFF, 0xFE]
        let message = try #require(try unmarshal(frame))
        #expect(message.serial == 5)
        #expect(message.interface == "a.b")
        #expect(try message.body() == [.uint32(1), .string("hi"), .int16(-2)])
    }

    @Test func `is found behind header fields of a later version`() throws {
        // Field 200 is an array of two numbers, `au`.
        let frame: [UInt8] =
            [UInt8(ascii: "l"), 4, 1, 1, 4, 0, 0, 0, 5, 0, 0, 0, 31, 0, 0, 0]
            + [200, 2, UInt8(ascii: "a"), UInt8(ascii: "u"), 0, 0, 0, 0]
            + [8, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]
            + [8, 1, UInt8(ascii: "g"), 0, 1, UInt8(ascii: "u"), 0, 0] + [9, 0, 0, 0]
        let message = try #require(try unmarshal(frame))
        #expect(try message.body() == [.uint32(9)])
    }

    /// With a copy of what follows for each of them it would take minutes.
    @Test(.timeLimit(.minutes(10)))
    func `is found behind half a million header fields of a later version`() throws {
        let count = 1 << 19
        let field: [UInt8] = [200, 1, UInt8(ascii: "y"), 0, 7, 0, 0, 0]
        let byteCount = UInt32(count * field.count + 7)
        var frame: [UInt8] = [UInt8(ascii: "l"), 4, 1, 1, 4, 0, 0, 0, 5, 0, 0, 0]
        frame += (0..<4).map { UInt8(truncatingIfNeeded: byteCount >> (8 * $0)) }
        for _ in 0..<count { frame += field }
        frame += [8, 1, UInt8(ascii: "g"), 0, 1, UInt8(ascii: "u"), 0, 0] + [9, 0, 0, 0]
        let message = try #require(try unmarshal(frame))
        #expect(try message.body() == [.uint32(9)])
    }

    @Test func `that names a descriptor which did not come along is refused`() throws {
        let call = try Message.methodCall(to: "a.b", at: "/", "a.b", "C", [.uint32(3)])
        var bytes = try MessageHeader.marshal(call, serial: 1)
        let type = try #require(bytes.firstIndex(of: UInt8(ascii: "u")))
        bytes[type] = UInt8(ascii: "h")
        let message = try #require(try unmarshal(bytes))
        #expect { try message.body() } throws: { ($0 as? BusError)?.code == .unexpectedBody }
    }

    /// libdbus numbers them in the order of the body; other senders need not.
    @Test func `that is a descriptor is the one of its index`() throws {
        let first = try #require(Pipe.withText("first"))
        let second = try #require(Pipe.withText("second"))
        let body: [Value] = [.uint32(1), .array(of: "u", [.uint32(0)])]
        let call = try Message.methodCall(to: "a.b", at: "/", "a.b", "C", body)
        var bytes = try MessageHeader.marshal(call, serial: 1)
        for type in bytes.indices where bytes[type] == UInt8(ascii: "u") {
            bytes[type] = UInt8(ascii: "h")
        }
        let message = try #require(try unmarshal(bytes, [second, first]))
        #expect(
            try message.body() == [.descriptor(second), .array(of: "h", [.descriptor(first)])]
        )
        let incomplete = try #require(try unmarshal(bytes, [nil, first]))
        #expect { try incomplete.body() } throws: { ($0 as? BusError)?.code == .unexpectedBody }
    }

    /// libdbus accepts no such message.
    @Test func `with elements that take no room is refused`() throws {
        let frame: [UInt8] =
            [UInt8(ascii: "l"), 4, 1, 1, 16, 0, 0, 0, 5, 0, 0, 0, 9, 0, 0, 0]
            + [8, 1, UInt8(ascii: "g"), 0, 3] + Array("a()".utf8) + [0]
            + [UInt8](repeating: 0, count: 7)
            + [8, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 1, count: 8)
        let message = try #require(try unmarshal(frame))
        #expect { try message.body() } throws: { ($0 as? BusError)?.code == .unexpectedBody }
    }

    @Test func `cut short anywhere is an error and no crash`() throws {
        let call = try Message.methodCall(to: "a.b", at: "/c", "a.b", "C", Self.travellers)
        let bytes = try MessageHeader.marshal(call, serial: 1)
        for count in 0..<bytes.count {
            do {
                let message = try unmarshal(Array(bytes.prefix(count)))
                _ = try message?.body()
                Issue.record("\(count) of \(bytes.count) bytes were enough")
            } catch {
                #expect(error.code == .unexpectedBody)
            }
        }
    }

    private func unmarshal(
        _ bytes: [UInt8],
        _ descriptors: [FileDescriptor?] = []
    ) throws(BusError) -> Message? {
        var strings = StringCache()
        let wire = WireBytes(copying: bytes)
        return try MessageHeader.unmarshal(wire, descriptors, &strings)
    }
}
