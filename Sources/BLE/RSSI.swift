/// How loud a peer was heard, in dBm.
///
/// A controller reports −127 to +20; +127 means that it does not know.
///
/// Source: Core specification, Vol 4, Part E, 7.7.65.2.
public struct RSSI: Hashable, Sendable, RawRepresentable {
    /// The strength in dBm.
    public let rawValue: Int

    /// A strength.
    ///
    /// - Parameter rawValue: the strength in dBm.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// A strength.
    ///
    /// - Parameter decibelMilliwatts: the strength in dBm.
    public init(_ decibelMilliwatts: Int) {
        self.init(rawValue: decibelMilliwatts)
    }
}

extension RSSI: Comparable {
    /// Whether the first is fainter than the second.
    public static func < (lhs: RSSI, rhs: RSSI) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}

extension RSSI: CustomStringConvertible {
    /// The strength with its unit, `-50 dBm`.
    public var description: String { "\(rawValue) dBm" }
}
