internal import BLETerminal

/// The chat that is open: its messages, which of them are seen, and what is being written.
struct OpenChat: Sendable {
    /// What the last row is that is seen.
    enum End: Hashable, Sendable {
        /// The last one of the chat, also when messages are added.
        case newest
        /// One of a message, with some rows of it below. Where the message is gone, the one at its index counts.
        case row(of: String, index: Int, below: Int)
    }

    /// How many messages are kept: the newest ones.
    static let messageLimit = 2_000

    /// Who with, as last seen in the list.
    var person: Person
    var editor: LineEditor

    private(set) var messages: [Message] = []
    /// Whether the messages have been shown, and not only asked for.
    private(set) var isLoaded = false
    private(set) var hasEarlier = false
    /// How many cells it has.
    private(set) var size = Size(columns: 80, rows: 20)
    var end = End.newest

    var layouts = LayoutCache()
    /// The first message that was not read when the chat was opened, until something is sent.
    var firstUnreadID: String?
    /// How many more were not read then, and are not among the messages yet.
    private var earlierUnreadCount: Int
    /// The last message when the newest one was seen last.
    private var seenID: String?
    /// What the program was asked for, so that it is asked once.
    private var markedID: String?
    private var loadedBeforeID: String?

    init(_ person: Person, editor: LineEditor) {
        self.person = person
        self.editor = editor
        earlierUnreadCount = max(0, person.unreadCount)
    }

    /// How many messages of the other one came since the newest one was seen.
    var newCount: Int {
        guard end != .newest, let seenID,
            let index = messages.lastIndex(where: { $0.id == seenID })
        else { return 0 }
        return messages[(index + 1)...].count { !$0.isOwn }
    }

    /// How many rows its messages have: while older ones are read, the last row says that there are others.
    var height: Int { end == .newest || size.rows < 2 ? size.rows : size.rows - 1 }

    /// Whether there are more messages than are kept.
    var isFull: Bool { messages.count == Self.messageLimit }

    mutating func show(_ messages: [Message], hasEarlier: Bool) {
        self.messages = Array(messages.suffix(Self.messageLimit))
        self.hasEarlier = hasEarlier || messages.count > Self.messageLimit
        findFirstUnread()
        isLoaded = true
        if case .row(let id, let index, let below) = end {
            let found = self.messages.firstIndex { $0.id == id }
            end = .row(
                of: id,
                index: found ?? min(index, self.messages.count - 1),
                below: found == nil ? 0 : below
            )
        }
        settle()
    }

    /// Looks for the first message that was not read among all of them, later among those before the one found so far.
    private mutating func findFirstUnread() {
        let found = firstUnreadID.flatMap { id in messages.firstIndex { $0.id == id } }
        let end = found ?? (isLoaded ? 0 : messages.count)
        let unread = messages[..<end].filter { !$0.isOwn }.suffix(earlierUnreadCount)
        guard let first = unread.first else { return }
        firstUnreadID = first.id
        earlierUnreadCount -= unread.count
    }

    /// Takes the size that it is drawn in.
    mutating func resize(_ size: Size) {
        guard size != self.size else { return }
        self.size = size
        settle()
    }

    /// What follows from the user seeing what is drawn.
    mutating func seen() -> [Action] {
        guard isLoaded, size.rows > 0, size.columns > 0 else { return [] }
        var actions: [Action] = []
        if end == .newest {
            seenID = messages.last?.id
            if let id = messages.last(where: { !$0.isOwn })?.id, id != markedID {
                markedID = id
                actions.append(.markRead(through: id, person: person.id))
            }
        }
        if hasEarlier, !isFull, let id = messages.first?.id, id != loadedBeforeID, isAtStart {
            loadedBeforeID = id
            actions.append(.loadEarlier(before: id, person: person.id))
        }
        return actions
    }
}
