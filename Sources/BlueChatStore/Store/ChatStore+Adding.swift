internal import BLESQLite
public import BLEStorage
internal import BlueChat

extension ChatStore {
    /// Adds a message of the user's; it waits until it is sent.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - friend: whom it is for.
    /// - Returns: the message as it is kept.
    /// - Throws: ``ChatStoreError/Code/noSuchFriend``, ``ChatStoreError/Code/blocked``,
    ///   ``ChatStoreError/Code/tooLong``, ``ChatStoreError/Code/limitReached`` when 10,000 wait for this
    ///   friend.
    public func add(_ message: NewMessage, to friend: FriendID) throws -> Addition {
        try add(message, with: friend, received: nil)
    }

    /// Adds a message that a friend sent; it is unread.
    ///
    /// A message that comes twice is there once: the second time the result is
    /// ``Addition/alreadyThere(_:)``, also when its text is another.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - friend: who sent it.
    ///   - time: when it came.
    /// - Returns: the message as it is kept.
    /// - Throws: ``ChatStoreError/Code/noSuchFriend``, ``ChatStoreError/Code/blocked``,
    ///   ``ChatStoreError/Code/tooLong``, ``ChatStoreError/Code/limitReached`` when as much is kept of a stranger as may
    ///   be: ``StoreLimits/requestMessageCount``, ``StoreLimits/requestByteCount``.
    public func add(
        _ message: NewMessage,
        from friend: FriendID,
        at time: WallTime = .now
    ) throws -> Addition {
        try add(message, with: friend, received: time)
    }

    private func add(
        _ message: NewMessage,
        with friend: FriendID,
        received: WallTime?
    ) throws -> Addition {
        try check("The text", message.text.utf8.count, atMost: StoreLimits.textByteCount)
        if let file = message.file {
            try check("The file's name", file.name.utf8.count, atMost: StoreLimits.nameByteCount)
            try check("The file", file.content.count, atMost: StoreLimits.fileByteCount)
        }
        let addition = try write("add a message to the chat store") { database in
            let row = try FriendRow(existing: friend, in: database)
            if let known = try StoredMessage(message.id, of: row, in: database) {
                return Addition.alreadyThere(known)
            }
            guard row.state != .blocked else {
                throw ChatStoreError(.blocked, "\(friend) is blocked")
            }
            if received == nil {
                try checkWaitingCount(of: row, in: database)
            } else {
                let byteCount = message.text.utf8.count + (message.file?.content.count ?? 0)
                try checkRequest(of: row, adding: byteCount, messageCount: 1, in: database)
            }
            try insert(message, of: row, received: received, in: database)
            return .added(try StoredMessage(existing: message.id, with: friend, in: database))
        }
        if case .added = addition { streams.send(.messageAdded(message.id, with: friend)) }
        return addition
    }

    /// Fails when more of somebody would be kept than may be before the user has answered.
    func checkRequest(
        of friend: FriendRow,
        adding byteCount: Int,
        messageCount: Int = 0,
        in database: Database
    ) throws {
        guard friend.state == .requestReceived else { return }
        let number = Value.integer(friend.number)
        let keptCount = try database.integer(
            "SELECT count(*) FROM message WHERE friend = ?",
            [number]
        )
        let keptByteCount = try database.integer(
            """
            SELECT
                (SELECT ifnull(sum(length(CAST(text AS BLOB)) + ifnull(file_size, 0)), 0)
                    FROM message WHERE friend = ?1)
                + (SELECT ifnull(sum(length(CAST(e.text AS BLOB))), 0)
                    FROM earlier_text e JOIN message m ON m.number = e.message WHERE m.friend = ?1)
            """,
            [number]
        )
        guard Int(keptCount) + messageCount <= StoreLimits.requestMessageCount,
            Int(keptByteCount) + byteCount <= StoreLimits.requestByteCount
        else {
            throw ChatStoreError(
                .limitReached,
                "as much is kept as may be of somebody who waits for an answer"
            )
        }
    }

    private func insert(
        _ message: NewMessage,
        of friend: FriendRow,
        received: WallTime?,
        in database: Database
    ) throws(DatabaseError) {
        let isOutgoing = received == nil
        try database.run(
            """
            INSERT INTO message (friend, id, is_outgoing, text, file_name, file_size, sent, received,
                state, is_unread) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(friend.number), .bytes(message.id.bytes), isOutgoing ? 1 : 0,
                .text(message.text), Value(message.file?.name), Value(message.file?.content.count),
                Value(message.sent.millisecondsSince1970), Value(received?.millisecondsSince1970),
                isOutgoing ? 0 : nil, isOutgoing ? 0 : 1,
            ]
        )
        guard let file = message.file else { return }
        try database.run(
            "INSERT INTO file (message, content) VALUES (?, ?)",
            [.integer(database.lastInsertedNumber), .bytes(file.content)]
        )
    }
}
