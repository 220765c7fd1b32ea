public import BLEStorage
public import BlueChat

/// A message as the store has it.
public struct StoredMessage: Hashable, Sendable {
    /// Who wrote a message.
    public enum Direction: Hashable, Sendable {
        /// The friend.
        case incoming
        /// The user.
        case outgoing
    }

    /// A file that a message carries; ``ChatStore/file(of:with:)`` has its bytes.
    public struct File: Hashable, Sendable {
        /// The file's name, as its sender wrote it: not to be used as a path.
        public let name: String
        /// How many bytes it has.
        public let byteCount: Int

        /// Creates a description of a file.
        ///
        /// - Parameters:
        ///   - name: the file's name.
        ///   - byteCount: how many bytes it has.
        public init(name: String, byteCount: Int) {
            self.name = name
            self.byteCount = byteCount
        }
    }

    /// Which message of the conversation.
    public let id: MessageID
    /// With whom the conversation is.
    public let friend: FriendID
    /// The message's place in the order in which the store got all messages.
    public let number: Int64
    /// Who wrote it.
    public let direction: Direction
    /// The text; empty for one that its author deleted.
    public let text: String
    /// The file that it carries.
    public let file: File?
    /// When its author sent it, by the author's clock.
    public let sent: WallTime
    /// When it came; `nil` for the user's own.
    public let received: WallTime?
    /// How far it has come; `nil` for the friend's.
    public let state: DeliveryState?
    /// Whether the user has not read it.
    public let isUnread: Bool
    /// When its author last changed the text.
    public let edited: WallTime?
    /// When its author deleted it.
    public let deleted: WallTime?

    /// Creates a description of a message; the store is not changed.
    ///
    /// - Parameters:
    ///   - id: which message of the conversation.
    ///   - friend: with whom the conversation is.
    ///   - number: its place in the order.
    ///   - direction: who wrote it.
    ///   - text: the text.
    ///   - file: the file that it carries.
    ///   - sent: when its author sent it.
    ///   - received: when it came.
    ///   - state: how far it has come.
    ///   - isUnread: whether the user has not read it.
    ///   - edited: when its author last changed the text.
    ///   - deleted: when its author deleted it.
    public init(
        id: MessageID,
        friend: FriendID,
        number: Int64,
        direction: Direction,
        text: String,
        file: File? = nil,
        sent: WallTime,
        received: WallTime? = nil,
        state: DeliveryState? = nil,
        isUnread: Bool = false,
        edited: WallTime? = nil,
        deleted: WallTime? = nil
    ) {
        self.id = id
        self.friend = friend
        self.number = number
        self.direction = direction
        self.text = text
        self.file = file
        self.sent = sent
        self.received = received
        self.state = state
        self.isUnread = isUnread
        self.edited = edited
        self.deleted = deleted
    }
}
