internal import BLESQLite
public import BlueChat

extension ChatStore {
    /// The messages with a friend before one of them, or the last ones.
    ///
    /// - Parameters:
    ///   - friend: with whom.
    ///   - id: the message before which; `nil` for the end of the conversation.
    ///   - count: how many at most, up to 500.
    /// - Returns: the messages, oldest first, and whether there are earlier ones.
    /// - Throws: ``ChatStoreError/Code/noSuchFriend``, ``ChatStoreError/Code/noSuchMessage``.
    public func messages(
        with friend: FriendID,
        before id: MessageID? = nil,
        count: Int = 50
    ) throws -> MessagePage {
        let page = try page(with: friend, from: id, isForward: false, count: count)
        return MessagePage(messages: page.messages.reversed(), hasMore: page.hasMore)
    }

    /// The messages with a friend after one of them.
    ///
    /// - Parameters:
    ///   - friend: with whom.
    ///   - id: the message after which; `nil` for the beginning of the conversation.
    ///   - count: how many at most, up to 500.
    /// - Returns: the messages, oldest first, and whether there are later ones.
    /// - Throws: ``ChatStoreError/Code/noSuchFriend``, ``ChatStoreError/Code/noSuchMessage``.
    public func messages(
        with friend: FriendID,
        after id: MessageID?,
        count: Int = 50
    ) throws -> MessagePage {
        try page(with: friend, from: id, isForward: true, count: count)
    }

    private func page(
        with friend: FriendID,
        from id: MessageID?,
        isForward: Bool,
        count: Int
    ) throws -> MessagePage {
        try read("read messages in the chat store") { database in
            let row = try FriendRow(existing: friend, in: database)
            let start = try id.map { id in
                try StoredMessage(existing: id, with: friend, in: database).number
            }
            let count = StoreLimits.count(count)
            let messages = try database.rows(
                """
                \(StoredMessage.selection)
                WHERE m.friend = ? AND m.number \(isForward ? ">" : "<") ?
                ORDER BY m.number \(isForward ? "ASC" : "DESC") LIMIT ?
                """,
                [
                    .integer(row.number), .integer(start ?? (isForward ? 0 : .max)),
                    Value(count + 1),
                ],
                StoredMessage.init
            )
            return MessagePage(
                messages: Array(messages.prefix(count)),
                hasMore: messages.count > count
            )
        }
    }

    /// One message.
    ///
    /// - Parameters:
    ///   - id: which.
    ///   - friend: with whom.
    /// - Returns: the message; `nil` when there is none.
    /// - Throws: ``ChatStoreError/Code/noSuchFriend``.
    public func message(_ id: MessageID, with friend: FriendID) throws -> StoredMessage? {
        try read("read a message in the chat store") { database in
            try StoredMessage(id, of: FriendRow(existing: friend, in: database), in: database)
        }
    }

    /// The bytes of a message's file.
    ///
    /// - Parameters:
    ///   - id: which message.
    ///   - friend: with whom.
    /// - Returns: up to 1 MiB; `nil` for a message without a file.
    /// - Throws: ``ChatStoreError/Code/noSuchFriend``, ``ChatStoreError/Code/noSuchMessage``.
    public func file(of id: MessageID, with friend: FriendID) throws -> [UInt8]? {
        try read("read a file in the chat store") { database in
            let message = try StoredMessage(existing: id, with: friend, in: database)
            return try database.row(
                "SELECT content FROM file WHERE message = ?",
                [.integer(message.number)]
            ) { $0.bytes(at: 0) }
        }
    }

    /// Removes all messages with a friend, who stays one; they are overwritten as by ``delete(_:with:by:at:)``.
    ///
    /// - Parameter friend: with whom.
    /// - Throws: ``ChatStoreError/Code/noSuchFriend``.
    public func removeHistory(with friend: FriendID) throws {
        try write("remove messages from the chat store") { database in
            let row = try FriendRow(existing: friend, in: database)
            try database.run("DELETE FROM message WHERE friend = ?", [.integer(row.number)])
        }
        streams.send(.historyRemoved(with: friend))
    }
}
