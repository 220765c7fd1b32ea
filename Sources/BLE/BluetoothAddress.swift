/// The 48-bit address of a Bluetooth device.
///
/// Source: Core specification, Vol 6, Part B, 1.3.
public struct BluetoothAddress: Hashable, Sendable {
    /// What an address is taken from.
    public enum Kind: String, Hashable, Sendable {
        /// Assigned by the IEEE to the maker of the controller; never changes.
        case `public`
        /// Chosen by the device itself; may change.
        case random
    }

    /// The six bytes, the one that is written first at the lowest bits' far end.
    public let rawValue: UInt64

    /// What the address is taken from.
    public let kind: Kind

    /// An address from its text, `00:AA:01:00:00:42`.
    ///
    /// - Parameters:
    ///   - text: six pairs of hexadecimal digits in either case, colons between. Anything else
    ///     gives `nil`.
    ///   - kind: what the address is taken from.
    public init?(_ text: String, kind: Kind = .public) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6 else { return nil }
        var value: UInt64 = 0
        for part in parts {
            guard part.utf8.count == 2, part.allSatisfy(\.isHexDigit),
                let byte = UInt8(part, radix: 16)
            else { return nil }
            value = value << 8 | UInt64(byte)
        }
        rawValue = value
        self.kind = kind
    }
}

extension BluetoothAddress: CustomStringConvertible {
    /// Six pairs of hexadecimal digits in upper case, colons between.
    public var description: String {
        stride(from: 40, through: 0, by: -8)
            .map { shift in
                let text = String(rawValue >> UInt64(shift) & 0xFF, radix: 16, uppercase: true)
                return text.count == 1 ? "0" + text : text
            }
            .joined(separator: ":")
    }
}
