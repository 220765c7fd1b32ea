public import BLEStorage
public import MeshRelay

/// A message that is kept.
public struct StoredRelayMessage: Hashable, Sendable, Identifiable {
    /// Its place among all messages of the store: a later one has a greater number.
    public let number: Int64
    /// What its sender and its receiver call it.
    public let messageID: Int32
    /// With whom it was exchanged.
    public let contact: RelayAddress
    /// Whether it is the user's own.
    public let isOutgoing: Bool
    /// What it says.
    public let text: String
    /// When it was sent, or received.
    public let time: WallTime
    /// How far it has come.
    public let status: RelayMessageStatus
    /// Whether it is another's, and was not marked as read.
    public let isUnread: Bool

    /// The number.
    public var id: Int64 { number }
}
