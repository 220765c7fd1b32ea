public import BLEStorage

/// Somebody whom the user knows, or who wants to be known.
public struct Friend: Hashable, Sendable {
    /// How far the friendship is.
    public enum State: Int, Hashable, Sendable, CaseIterable {
        /// The user has asked, and waits for an answer.
        case requested
        /// They have asked, and wait for the user's answer.
        case requestReceived
        /// Both want it.
        case confirmed
        /// The user wants to hear nothing of them: messages from them are refused.
        case blocked
    }

    /// Who it is.
    public let id: FriendID
    /// The name that they gave themselves.
    public let toldName: String
    /// The name that the user gave them.
    public let givenName: String?
    /// How far the friendship is.
    public let state: State
    /// Whether the user has compared the key with theirs.
    public let isVerified: Bool
    /// When they were added.
    public let added: WallTime
    /// Who they were before their key changed.
    public let predecessor: FriendID?

    /// The name to show: the user's, or else their own.
    public var name: String { givenName ?? toldName }

    /// Creates a description of a friend; the store is not changed.
    ///
    /// - Parameters:
    ///   - id: who it is.
    ///   - toldName: the name that they gave themselves.
    ///   - givenName: the name that the user gave them.
    ///   - state: how far the friendship is.
    ///   - isVerified: whether the user has compared the key.
    ///   - added: when they were added.
    ///   - predecessor: who they were before their key changed.
    public init(
        id: FriendID,
        toldName: String,
        givenName: String? = nil,
        state: State,
        isVerified: Bool = false,
        added: WallTime,
        predecessor: FriendID? = nil
    ) {
        self.id = id
        self.toldName = toldName
        self.givenName = givenName
        self.state = state
        self.isVerified = isVerified
        self.added = added
        self.predecessor = predecessor
    }
}
