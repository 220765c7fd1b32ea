/// The received signal strength, in dBm.
///
/// A controller reports −127 to +20, or +127 when it could not measure.
///
/// Source: Core specification, Vol 4, Part E, 7.7.65.2.
public struct RSSI: Hashable, Sendable, RawRepresentable {
    /// The signal strength in dBm.
    public let rawValue: Int

    /// Creates a signal strength.
    ///
    /// - Parameter rawValue: the signal strength in dBm.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Creates a signal strength.
    ///
    /// - Parameter decibelMilliwatts: the signal strength in dBm.
    public init(_ decibelMilliwatts: Int) {
        self.init(rawValue: decibelMilliwatts)
    }
}

extension RSSI: Comparable {
    /// Whether the first signal is weaker than the second.
    public static func < (lhs: RSSI, rhs: RSSI) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}

extension RSSI: CustomStringConvertible {
    /// The signal strength with its unit, `-50 dBm`.
    public var description: String { "\(rawValue) dBm" }
}
