public import MeshRelay

/// Somebody with whom messages are exchanged.
public struct RelayContact: Hashable, Sendable, Identifiable {
    /// Their address and key.
    public let link: RelayLink
    /// Whether the user has compared the key's fingerprint with them.
    public let isVerified: Bool
    /// How many of their messages were not marked as read.
    public let unreadCount: Int

    /// Their address.
    public var id: RelayAddress { link.address }
}
