/// The UUID of a service, a characteristic or a descriptor.
///
/// All 128 bits are stored, so the 16-bit form `180F` equals its long form
/// `0000180F-0000-1000-8000-00805F9B34FB`.
///
/// Source: Core specification, Vol 3, Part B, 2.5.1.
public struct BluetoothUUID: Hashable, Sendable {
    /// The 64 bits that are written first.
    private let high: UInt64
    /// The 64 bits that are written last.
    private let low: UInt64

    private static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

    /// Creates a UUID that the Bluetooth SIG assigned from its short form.
    ///
    /// - Parameter assignedNumber: 16 or 32 bits, which replace the first ones of the Bluetooth Base UUID.
    public init(assignedNumber: UInt32) {
        high = UInt64(assignedNumber) << 32 | 0x1000
        low = Self.baseLow
    }

    /// Creates a UUID from its text.
    ///
    /// - Parameter text: 4, 8 or 32 hexadecimal digits in either case; 32 also with four hyphens
    ///   (8-4-4-4-12). Anything else gives `nil`.
    public init?(_ text: String) {
        let digits = Array(text.utf8)
        switch digits.count {
        case 4, 8:
            guard let number = Self.number(digits[...]) else { return nil }
            self.init(assignedNumber: UInt32(truncatingIfNeeded: number))
        case 36:
            let hyphens = [8, 13, 18, 23]
            guard hyphens.allSatisfy({ digits[$0] == UInt8(ascii: "-") }) else { return nil }
            let packed = digits.indices.filter { !hyphens.contains($0) }.map { digits[$0] }
            self.init(packed: packed)
        case 32:
            self.init(packed: digits)
        default:
            return nil
        }
    }

    private init?(packed digits: [UInt8]) {
        guard digits.count == 32, let high = Self.number(digits[..<16]),
            let low = Self.number(digits[16...])
        else { return nil }
        self.high = high
        self.low = low
    }

    /// The value of at most 16 hexadecimal digits.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for digit in digits {
            guard let nibble = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
            value = value << 4 | UInt64(nibble)
        }
        return value
    }

    /// How many bytes this UUID takes in an advertisement: 2, 4 or 16.
    ///
    /// Source: Supplement to the Core specification, Part A, 1.1.
    public var advertisedByteCount: Int {
        guard low == Self.baseLow, high & 0xFFFF_FFFF == 0x1000 else { return 16 }
        return high >> 48 == 0 ? 2 : 4
    }
}

extension BluetoothUUID: CustomStringConvertible, LosslessStringConvertible {
    /// The text in uppercase that ``init(_:)`` reads: 4 or 8 characters for what the Bluetooth SIG assigned, as `180F`, else 36.
    public var description: String {
        let count = advertisedByteCount
        guard count < 16 else { return longText }
        return String(longText.prefix(8).suffix(count * 2))
    }

    /// The long form in uppercase, 36 characters, as of BlueZ's properties.
    public var longText: String {
        func hex(_ value: UInt64, digits: Int) -> String {
            let text = String(value, radix: 16, uppercase: true)
            return String(repeating: "0", count: digits - text.count) + text
        }
        return [
            hex(high >> 32, digits: 8), hex(high >> 16 & 0xFFFF, digits: 4),
            hex(high & 0xFFFF, digits: 4), hex(low >> 48, digits: 4),
            hex(low & 0xFFFF_FFFF_FFFF, digits: 12),
        ].joined(separator: "-")
    }
}

extension BluetoothUUID: ExpressibleByStringLiteral {
    /// Creates a UUID from a literal.
    ///
    /// - Parameter text: as for ``init(_:)``; a literal that is not a UUID stops the program.
    public init(stringLiteral text: String) {
        guard let uuid = BluetoothUUID(text) else {
            preconditionFailure("not a Bluetooth UUID: \(text)")
        }
        self = uuid
    }
}
