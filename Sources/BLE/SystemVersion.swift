/// A version of a system's Bluetooth service, such as 5.66.
public struct SystemVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The first number.
    public let major: Int
    /// The second number.
    public let minor: Int

    /// Creates a version.
    ///
    /// - Parameters:
    ///   - major: the first number.
    ///   - minor: the second number.
    public init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// Whether a version is earlier than another.
    public static func < (lhs: SystemVersion, rhs: SystemVersion) -> Bool {
        (lhs.major, lhs.minor) < (rhs.major, rhs.minor)
    }

    /// Both numbers, `5.66`.
    public var description: String { "\(major).\(minor)" }
}
