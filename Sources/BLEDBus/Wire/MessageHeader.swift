/// Marshals and unmarshals the header of a message.
///
/// | bytes | field |
/// |---|---|
/// | 0 | `l` or `B`, the byte order |
/// | 1 | the kind |
/// | 2 | flags: 1 no reply expected |
/// | 3 | version, 1 |
/// | 4…7 | the body's length |
/// | 8…11 | the serial |
/// | 12… | the fields, `a(yv)`, padded to 8 |
///
/// Source: D-Bus specification, "Message Format".
enum MessageHeader {
    private enum Field {
        static let path: UInt8 = 1
        static let interface: UInt8 = 2
        static let member: UInt8 = 3
        static let errorName: UInt8 = 4
        static let replySerial: UInt8 = 5
        static let destination: UInt8 = 6
        static let sender: UInt8 = 7
        static let signature: UInt8 = 8
    }

    private static let noReplyExpected: UInt8 = 1
    private static let native: UInt8 =
        1.littleEndian == 1 ? UInt8(ascii: "l") : UInt8(ascii: "B")

    /// Marshals a message with its body.
    ///
    /// - Throws: ``BusError/Code/invalidMessage`` for a name with a zero byte, and for a message that is too long.
    static func marshal(_ message: Message, serial: UInt32) throws(BusError) -> [UInt8] {
        try message.withBody { (body) throws(BusError) in
            var writer = MessageWriter(reserving: 256 + body.count)
            let flags = message.expectsReply ? 0 : noReplyExpected
            for byte in [native, message.kind.rawValue, flags, 1] { writer.append(byte) }
            writer.append(UInt32(body.count))
            writer.append(serial)
            writer.append(UInt32(0))
            if let path = message.path {
                try write(Field.path, "o", path.rawValue, to: &writer)
            }
            if let interface = message.interface {
                try write(Field.interface, "s", interface, to: &writer)
            }
            if let member = message.member {
                try write(Field.member, "s", member, to: &writer)
            }
            if let errorName = message.errorName {
                try write(Field.errorName, "s", errorName, to: &writer)
            }
            if message.replySerial != 0 {
                begin(Field.replySerial, "u", &writer)
                writer.append(message.replySerial)
            }
            if let destination = message.destination {
                try write(Field.destination, "s", destination, to: &writer)
            }
            if message.signature != .empty {
                begin(Field.signature, "g", &writer)
                writer.appendSignature(message.signature.rawValue)
            }
            writer.replace(at: 12, with: UInt32(writer.count - 16))
            writer.align(to: 8)
            writer.append(raw: body)
            try writer.checkMessage()
            return writer.finish()
        }
    }

    /// The code of the field and its type, a `y` and a `g`, in one store.
    private static func begin(
        _ field: UInt8,
        _ type: Unicode.Scalar,
        _ writer: inout MessageWriter
    ) {
        writer.align(to: 8)
        let bytes = UInt32(field) | 1 << 8 | UInt32(UInt8(ascii: type)) << 16
        writer.append(UInt32(littleEndian: bytes))
    }

    private static func write(
        _ field: UInt8,
        _ type: Unicode.Scalar,
        _ text: String,
        to writer: inout MessageWriter
    ) throws(BusError) {
        begin(field, type, &writer)
        try writer.append(text)
    }

    /// Unmarshals a received message.
    ///
    /// - Parameters:
    ///   - wire: the whole message.
    ///   - descriptors: the file descriptors that came with it, as ``Message/place(_:)`` has them.
    ///   - strings: the strings of earlier messages.
    /// - Returns: the message; `nil` for one of an unknown kind, which is to be ignored.
    /// - Throws: ``BusError/Code/unexpectedBody`` for bytes that are not a message.
    static func unmarshal(
        _ wire: WireBytes,
        _ descriptors: [FileDescriptor?],
        _ strings: inout StringCache
    ) throws(BusError) -> Message? {
        let bytes = wire.buffer
        guard bytes.count >= 16 else { throw malformed }
        guard let kind = Message.Kind(rawValue: bytes[1]) else { return nil }
        let isSwapped = bytes[0] != native
        let rawFieldCount = bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self)
        let behindFields = 16 + Int(isSwapped ? rawFieldCount.byteSwapped : rawFieldCount)
        let start = (behindFields + 7) & ~7
        guard start <= bytes.count else { throw malformed }

        var message = Message(
            kind: kind,
            payload: .received(wire, start: start, isSwapped: isSwapped)
        )
        let serial = bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
        message.serial = isSwapped ? serial.byteSwapped : serial
        message.expectsReply = bytes[2] & noReplyExpected == 0
        try readFields(wire, to: behindFields, isSwapped, into: &message, &strings)
        if !descriptors.isEmpty { try message.place(descriptors) }
        return message
    }

    /// Reads the fields; each begins at a multiple of 8, with its code and its signature.
    private static func readFields(
        _ wire: WireBytes,
        to end: Int,
        _ isSwapped: Bool,
        into message: inout Message,
        _ strings: inout StringCache
    ) throws(BusError) {
        let bytes = wire.buffer
        func number(at position: Int) throws(BusError) -> UInt32 {
            guard position + 4 <= end else { throw malformed }
            let raw = bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)
            return isSwapped ? raw.byteSwapped : raw
        }
        func string(_ range: Range<Int>) -> String {
            let text = UnsafeRawBufferPointer(rebasing: bytes[range])
            return strings.string(text.assumingMemoryBound(to: UInt8.self))
        }
        var position = 16
        while position < end {
            guard position + 4 < end else { throw malformed }
            let value = position + 4
            // The signature of each known field has one letter.
            switch bytes[position + 1] == 1 ? bytes[position + 2] : 0 {
            case UInt8(ascii: "u"):
                if bytes[position] == Field.replySerial {
                    message.replySerial = try number(at: value)
                }
                position = value + 4
            case UInt8(ascii: "g"):
                let text = value + 1..<value + 1 + Int(bytes[value])
                guard text.upperBound < end else { throw malformed }
                if bytes[position] == Field.signature {
                    message.signature = Signature(unchecked: string(text))
                    message.types = text
                }
                position = text.upperBound + 1
            case UInt8(ascii: "s"), UInt8(ascii: "o"):
                let text = value + 4..<value + 4 + Int(try number(at: value))
                guard text.upperBound < end else { throw malformed }
                store(bytes[position], string(text), in: &message)
                position = text.upperBound + 1
            default:
                position += try unknownFieldByteCount(wire, from: position, to: end, isSwapped)
            }
            position = (position + 7) & ~7
        }
    }

    /// The length of an unknown field, which is to be ignored.
    private static func unknownFieldByteCount(
        _ wire: WireBytes,
        from start: Int,
        to end: Int,
        _ isSwapped: Bool
    ) throws(BusError) -> Int {
        let types: StaticString = "(yv)"
        var reader = MessageReader(
            wire.part(UnsafeRawBufferPointer(rebasing: wire.buffer[start..<end])),
            types: UnsafeBufferPointer(start: types.utf8Start, count: types.utf8CodeUnitCount),
            isSwapped: isSwapped
        )
        try reader.skip()
        return reader.position
    }

    private static func store(_ field: UInt8, _ text: String, in message: inout Message) {
        switch field {
        case Field.path: message.path = ObjectPath(unchecked: text)
        case Field.interface: message.interface = text
        case Field.member: message.member = text
        case Field.errorName: message.errorName = text
        case Field.destination: message.destination = text
        case Field.sender: message.sender = text
        default: break
        }
    }

    private static var malformed: BusError {
        BusError(.unexpectedBody, "the header of a message is malformed")
    }
}
