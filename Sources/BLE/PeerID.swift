/// Identifies a peer of a radio.
///
/// For as long as the radio runs, a device has the same identifier in a ``Sighting``, on its ``Link``
/// and in a ``GATTRequest``. Don't parse the text: where a radio knows addresses it is the address,
/// elsewhere it may be anything.
public struct PeerID: Hashable, Sendable, RawRepresentable {
    /// The identifier as printable text.
    public let rawValue: String

    /// Creates an identifier from the text that a radio made.
    ///
    /// - Parameter rawValue: the text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

extension PeerID: CustomStringConvertible {
    /// The identifier as text.
    public var description: String { rawValue }
}
