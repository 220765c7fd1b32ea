public import BLE
public import BlueChat
public import BlueChatStore

/// Somebody to chat with: a friend, or who is nearby.
public struct ChatPerson: Hashable, Sendable, Identifiable {
    /// Who it is.
    public enum ID: Hashable, Sendable {
        /// Somebody whom the store knows: a friend, who wants to be one, or who is blocked.
        case friend(FriendID)
        /// Somebody nearby of whom no more is known.
        case nearby(PeerID)
    }

    /// Who it is.
    public let id: ID
    /// The name to show.
    public let name: String
    /// What the store knows.
    public let friend: Friend?
    /// Where they are to be called; `nil` when they are not seen.
    ///
    /// Of somebody with whom there was no chat since the
    /// program started, it is who has their name.
    public let nearby: NearbyChatter?
    /// Whether a chat is on.
    public let isChatting: Bool
    /// Whether they type.
    public let isTyping: Bool
    /// How many of their messages the user has not read.
    public let unreadCount: Int
    /// How many messages wait for them.
    public let waitingCount: Int
    /// The last message.
    public let last: StoredMessage?

    init(
        id: ID,
        name: String,
        friend: Friend? = nil,
        nearby: NearbyChatter? = nil,
        isChatting: Bool = false,
        isTyping: Bool = false,
        unreadCount: Int = 0,
        waitingCount: Int = 0,
        last: StoredMessage? = nil
    ) {
        self.id = id
        self.name = name
        self.friend = friend
        self.nearby = nearby
        self.isChatting = isChatting
        self.isTyping = isTyping
        self.unreadCount = unreadCount
        self.waitingCount = waitingCount
        self.last = last
    }
}
