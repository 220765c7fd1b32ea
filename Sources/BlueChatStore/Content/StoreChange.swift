public import BlueChat

/// What has changed in a store, in the order in which it did.
public enum StoreChange: Hashable, Sendable {
    /// The user's own name or key.
    case profile
    /// A friend was added, or something about one changed.
    case friend(FriendID)
    /// A friend was removed, with all messages.
    case friendRemoved(FriendID)
    /// A friend came with another key: to be shown loudly. The old chat is still there.
    case keyChanged(from: FriendID, to: FriendID)
    /// A message was added.
    case messageAdded(MessageID, with: FriendID)
    /// The state of a message changed, or its author edited or deleted it.
    case messageChanged(MessageID, with: FriendID)
    /// Several messages of a friend changed, as when they were read.
    case messagesChanged(with: FriendID)
    /// The messages with a friend were removed.
    case historyRemoved(with: FriendID)
    /// More changed than waited for its consumer: everything is to be read anew.
    case reload
}
