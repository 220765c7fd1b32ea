/// A message as it travels, right or wrong as a test wants it.
///
/// Source: D-Bus specification, "Message Format".
struct Frame {
    /// A field of the header.
    struct Field {
        let code: UInt8
        let type: Character
        let value: Content

        enum Content {
            case text(String)
            case bytes([UInt8])
            case number(UInt32)
        }

        static let path = Field(code: 1, type: "o", value: .text("/a"))
        static let interface = Field(code: 2, type: "s", value: .text("a.b"))
        static let member = Field(code: 3, type: "s", value: .text("C"))
    }

    var isBigEndian = false
    /// A signal.
    var kind: UInt8 = 4
    var flags: UInt8 = 0
    var version: UInt8 = 1
    var serial: UInt32 = 7
    var fields: [Field] = [.path, .interface, .member]
    var signature = ""
    var body: [UInt8] = []
    /// What the header says of the body's length, if not the truth.
    var claimedBodyByteCount: UInt32?
    /// What the header says of its fields' length, if not the truth.
    var claimedFieldsByteCount: UInt32?

    var bytes: [UInt8] {
        var bytes: [UInt8] = [UInt8(ascii: isBigEndian ? "B" : "l"), kind, flags, version]
        bytes += number(claimedBodyByteCount ?? UInt32(body.count))
        bytes += number(serial)
        let fieldBytes = fieldBytes
        bytes += number(claimedFieldsByteCount ?? UInt32(fieldBytes.count))
        bytes += fieldBytes
        Self.pad(&bytes, to: 8)
        return bytes + body
    }

    private var fieldBytes: [UInt8] {
        let signature = Field(code: 8, type: "g", value: .text(signature))
        var bytes: [UInt8] = []
        for field in self.signature.isEmpty ? fields : fields + [signature] {
            Self.pad(&bytes, to: 8)
            bytes += [field.code, 1] + String(field.type).utf8 + [0]
            switch field.value {
            case .number(let value): bytes += number(value)
            case .text(let text): bytes += string(Array(text.utf8), field.type)
            case .bytes(let text): bytes += string(text, field.type)
            }
        }
        return bytes
    }

    private func string(_ text: [UInt8], _ type: Character) -> [UInt8] {
        (type == "g" ? [UInt8(text.count)] : number(UInt32(text.count))) + text + [0]
    }

    /// A number in the message's byte order.
    func number(_ value: UInt32) -> [UInt8] {
        let little = (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return isBigEndian ? little.reversed() : little
    }

    private static func pad(_ bytes: inout [UInt8], to alignment: Int) {
        while bytes.count % alignment != 0 { bytes.append(0) }
    }
}
