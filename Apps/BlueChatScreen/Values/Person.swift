/// Somebody in the list.
package struct Person: Hashable, Sendable, Identifiable {
    /// What somebody is to the user.
    package enum Kind: Hashable, Sendable, CaseIterable {
        /// Has asked to be a friend.
        case requestReceived
        /// A friend.
        case friend
        /// Was asked to be a friend.
        case requested
        /// None of the others, and near.
        case stranger
        /// Can send nothing.
        case blocked
    }

    /// Which person: any text that nobody else has.
    package var id: String
    /// The name, as it came; it is made safe where it is drawn.
    package var name: String
    /// What the person is to the user.
    package var kind: Kind
    /// Whether the person is seen now.
    package var isNear: Bool
    /// In dBm.
    package var signalStrength: Int?
    /// Whether a chat is on.
    package var isChatting: Bool
    /// Whether the user has compared the keys.
    package var isVerified: Bool
    /// Whether the person uses the original app: nothing is encrypted, and texts are short.
    package var isOriginal: Bool
    /// Whether the key is not the one that was seen before.
    package var hasChangedKey: Bool
    /// How many messages were not read.
    package var unreadCount: Int
    /// The last message.
    package var lastText: String?
    /// Whether the person is writing.
    package var isTyping: Bool

    /// Creates a person.
    ///
    /// - Parameters:
    ///   - id: which person.
    ///   - name: the name, as it came.
    ///   - kind: what the person is to the user.
    ///   - isNear: whether the person is seen now.
    ///   - signalStrength: in dBm.
    ///   - isChatting: whether a chat is on.
    ///   - isVerified: whether the user has compared the keys.
    ///   - isOriginal: whether the person uses the original app.
    ///   - hasChangedKey: whether the key is not the one that was seen before.
    ///   - unreadCount: how many messages were not read.
    ///   - lastText: the last message.
    ///   - isTyping: whether the person is writing.
    package init(
        id: String,
        name: String,
        kind: Kind,
        isNear: Bool = false,
        signalStrength: Int? = nil,
        isChatting: Bool = false,
        isVerified: Bool = false,
        isOriginal: Bool = false,
        hasChangedKey: Bool = false,
        unreadCount: Int = 0,
        lastText: String? = nil,
        isTyping: Bool = false
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.isNear = isNear
        self.signalStrength = signalStrength
        self.isChatting = isChatting
        self.isVerified = isVerified
        self.isOriginal = isOriginal
        self.hasChangedKey = hasChangedKey
        self.unreadCount = unreadCount
        self.lastText = lastText
        self.isTyping = isTyping
    }

    /// The name on one row.
    ///
    /// - Parameter width: how many cells it has at most.
    /// - Returns: a text that is safe to draw.
    func shownName(_ width: Int = 24) -> String {
        let shown = name.fitted(width)
        return shown.allSatisfy(\.isWhitespace) ? "(no name)".fitted(width) : shown
    }
}
