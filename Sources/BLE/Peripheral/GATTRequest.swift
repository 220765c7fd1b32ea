/// A read or write of a central.
public struct GATTRequest: Hashable, Sendable {
    /// The central that sent the request.
    public let central: PeerID

    /// The ATT MTU of the connection in bytes, at least 23.
    public let mtuBytes: Int

    /// The first byte to read; 0 except for the later parts of a long read.
    public let offset: Int

    /// How a value was written; `nil` for a read, and where the system does not tell it, see
    /// ``RadioCapabilities/Features/writeKinds``.
    public let writeKind: WriteKind?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - central: the central that sent the request.
    ///   - mtuBytes: the ATT MTU of the connection in bytes, at least 23.
    ///   - offset: the first byte to read.
    ///   - writeKind: how a value was written; `nil` for unknown.
    public init(central: PeerID, mtuBytes: Int, offset: Int = 0, writeKind: WriteKind? = nil) {
        self.central = central
        self.mtuBytes = mtuBytes
        self.offset = offset
        self.writeKind = writeKind
    }
}
