/// Who asks, and how.
public struct GATTRequest: Hashable, Sendable {
    /// Who asks; one identity for one device, see ``PeerID``.
    public let central: PeerID

    /// The most bytes of one ATT packet between the two, at least 23.
    public let mtuBytes: Int

    /// The first byte that is wanted; 0 but for the later parts of a long read.
    public let offset: Int

    /// Who asks, and how.
    ///
    /// - Parameters:
    ///   - central: who asks.
    ///   - mtuBytes: the most bytes of one ATT packet between the two, at least 23.
    ///   - offset: the first byte that is wanted.
    public init(central: PeerID, mtuBytes: Int, offset: Int = 0) {
        self.central = central
        self.mtuBytes = mtuBytes
        self.offset = offset
    }
}
