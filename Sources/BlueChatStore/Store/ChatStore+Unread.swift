internal import BLESQLite
public import BlueChat

extension ChatStore {
    /// All conversations, with those first in which something was added last.
    ///
    /// - Returns: one for each friend.
    public func conversations() throws -> [Conversation] {
        try read("read the conversations in the chat store") { database in
            let friends = try database.rows(Friend.selection) { row throws(DatabaseError) in
                (try Friend(row), row.integer(at: 10))
            }
            let conversations = try friends.map { friend, number in
                let last = try database.row(
                    "\(StoredMessage.selection) WHERE m.friend = ? ORDER BY m.number DESC LIMIT 1",
                    [.integer(number)],
                    StoredMessage.init
                )
                let count = try Self.unreadCount(of: number, in: database)
                return Conversation(friend: friend, last: last, unreadCount: count)
            }
            return conversations.sorted { $0.last?.number ?? 0 > $1.last?.number ?? 0 }
        }
    }

    /// How many messages of a friend the user has not read.
    ///
    /// - Parameter friend: whose.
    /// - Returns: their number.
    /// - Throws: ``ChatStoreError/Code/noSuchFriend``.
    public func unreadCount(of friend: FriendID) throws -> Int {
        try read("count unread messages in the chat store") { database in
            try Self.unreadCount(
                of: FriendRow(existing: friend, in: database).number,
                in: database
            )
        }
    }

    /// How many messages the user has not read, of each friend of whom there are any.
    ///
    /// - Returns: their numbers.
    public func unreadCounts() throws -> [FriendID: Int] {
        try read("count unread messages in the chat store") { database in
            let counts = try database.rows(
                """
                SELECT f.key, f.address, count(*) FROM message m JOIN friend f ON f.number = m.friend
                WHERE m.is_unread = 1 GROUP BY m.friend
                """
            ) { row throws(DatabaseError) in
                (try FriendID(row, key: 0, address: 1), Int(row.integer(at: 2)))
            }
            return Dictionary(counts) { $1 }
        }
    }

    /// How many messages wait, or are on their way, for each friend for whom there are any.
    ///
    /// - Returns: their numbers.
    public func waitingCounts() throws -> [FriendID: Int] {
        try read("count waiting messages in the chat store") { database in
            let counts = try database.rows(
                """
                SELECT f.key, f.address, count(*) FROM message m JOIN friend f ON f.number = m.friend
                WHERE m.state < 2 AND m.deleted IS NULL GROUP BY m.friend
                """
            ) { row throws(DatabaseError) in
                (try FriendID(row, key: 0, address: 1), Int(row.integer(at: 2)))
            }
            return Dictionary(counts) { $1 }
        }
    }

    /// Marks a friend's messages as read, the oldest first.
    ///
    /// - Parameters:
    ///   - friend: whose.
    ///   - id: the last message that the user has seen; `nil` for all.
    /// - Returns: which messages were unread until now, up to 1,000, oldest first. When there are 1,000,
    ///   more may be left for another call.
    /// - Throws: ``ChatStoreError/Code/noSuchFriend``, ``ChatStoreError/Code/noSuchMessage``.
    @discardableResult
    public func markRead(
        with friend: FriendID,
        through id: MessageID? = nil
    ) throws -> [MessageID] {
        let messages = try write("mark messages in the chat store as read") { database in
            let row = try FriendRow(existing: friend, in: database)
            let last = try id.map { id in
                try StoredMessage(existing: id, with: friend, in: database).number
            }
            let messages = try database.rows(
                """
                SELECT number, id FROM message WHERE friend = ? AND is_unread = 1 AND number <= ?
                ORDER BY number LIMIT ?
                """,
                [.integer(row.number), .integer(last ?? .max), Value(StoreLimits.readCount)]
            ) { ($0.integer(at: 0), $0.bytes(at: 1)) }
            guard let newest = messages.last else { return [MessageID]() }
            try database.run(
                "UPDATE message SET is_unread = 0 WHERE friend = ? AND is_unread = 1 AND number <= ?",
                [.integer(row.number), .integer(newest.0)]
            )
            return messages.compactMap { MessageID($0.1) }
        }
        if !messages.isEmpty { streams.send(.messagesChanged(with: friend)) }
        return messages
    }

    private static func unreadCount(
        of friend: Int64,
        in database: Database
    ) throws(DatabaseError) -> Int {
        Int(
            try database.integer(
                "SELECT count(*) FROM message WHERE friend = ? AND is_unread = 1",
                [.integer(friend)]
            )
        )
    }
}
