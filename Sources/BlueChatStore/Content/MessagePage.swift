/// Some messages in a row, oldest first.
public struct MessagePage: Hashable, Sendable {
    /// The messages, oldest first.
    public let messages: [StoredMessage]
    /// Whether there are more in the direction that was asked for.
    public let hasMore: Bool

    /// Creates a page.
    ///
    /// - Parameters:
    ///   - messages: the messages, oldest first.
    ///   - hasMore: whether there are more.
    public init(messages: [StoredMessage], hasMore: Bool) {
        self.messages = messages
        self.hasMore = hasMore
    }
}
