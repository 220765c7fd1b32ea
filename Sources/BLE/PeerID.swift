/// What tells one peer from another.
///
/// The same device has the same identity in a sighting, on its ``Link`` and when it asks something
/// of a ``Publication``, for as long as the radio runs. Its text means nothing to a program: don't
/// take it apart. Where a radio knows addresses, it is the address.
public struct PeerID: Hashable, Sendable, RawRepresentable {
    /// The identity as text, printable.
    public let rawValue: String

    /// An identity.
    ///
    /// - Parameter rawValue: the identity as text, as a radio made it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

extension PeerID: CustomStringConvertible {
    /// The identity as text.
    public var description: String { rawValue }
}
