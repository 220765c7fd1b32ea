/// What a list of chats shows of one.
public struct Conversation: Hashable, Sendable {
    /// With whom.
    public let friend: Friend
    /// The last message; `nil` when there is none.
    public let last: StoredMessage?
    /// How many messages the user has not read.
    public let unreadCount: Int

    /// Creates a description of a conversation.
    ///
    /// - Parameters:
    ///   - friend: with whom.
    ///   - last: the last message.
    ///   - unreadCount: how many messages the user has not read.
    public init(friend: Friend, last: StoredMessage?, unreadCount: Int) {
        self.friend = friend
        self.last = last
        self.unreadCount = unreadCount
    }
}
