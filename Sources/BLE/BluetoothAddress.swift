/// The 48-bit address of a Bluetooth device.
///
/// Source: Core specification, Vol 6, Part B, 1.3.
public struct BluetoothAddress: Hashable, Sendable {
    /// The kinds of addresses.
    public enum Kind: String, Hashable, Sendable {
        /// Assigned by the controller's maker, from a range of the IEEE; never changes.
        case `public`
        /// Chosen by the device itself; may change.
        case random
    }

    /// The 48 bits; the byte that is written first is the most significant one.
    public let rawValue: UInt64

    /// The kind of address.
    public let kind: Kind

    /// Creates an address from its text, `00:AA:01:00:00:42`.
    ///
    /// - Parameters:
    ///   - text: six pairs of hexadecimal digits in either case, separated by colons. Anything
    ///     else gives `nil`.
    ///   - kind: the kind of address.
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
    /// Six pairs of uppercase hexadecimal digits, separated by colons.
    public var description: String {
        stride(from: 40, through: 0, by: -8)
            .map { shift in
                let text = String(rawValue >> UInt64(shift) & 0xFF, radix: 16, uppercase: true)
                return text.count == 1 ? "0" + text : text
            }
            .joined(separator: ":")
    }
}
