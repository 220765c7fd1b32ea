internal import BLESQLite
public import BLEStorage
public import BlueChat

extension ChatStore {
    /// Changes the text of a message, as its author wants it.
    ///
    /// The text before is out of view: in no page, no search and no export. ``earlierTexts(of:with:)``
    /// has the last 16.
    ///
    /// - Parameters:
    ///   - id: which message.
    ///   - friend: with whom.
    ///   - author: who wants it: only the message's author may.
    ///   - text: the new text, up to 64 KiB.
    ///   - time: when.
    /// - Throws: ``ChatStoreError/Code/noSuchFriend``, ``ChatStoreError/Code/noSuchMessage``,
    ///   ``ChatStoreError/Code/notTheAuthor``, ``ChatStoreError/Code/deleted``,
    ///   ``ChatStoreError/Code/tooLong``, ``ChatStoreError/Code/limitReached`` as for what a stranger adds.
    public func edit(
        _ id: MessageID,
        with friend: FriendID,
        by author: StoredMessage.Direction,
        to text: String,
        at time: WallTime = .now
    ) throws {
        try check("The text", text.utf8.count, atMost: StoreLimits.textByteCount)
        try write("edit a message in the chat store") { database in
            let message = try ownMessage(id, with: friend, by: author, in: database)
            guard message.deleted == nil else {
                throw ChatStoreError(.deleted, "message \(id) has been deleted")
            }
            if author == .incoming {
                let row = try FriendRow(existing: friend, in: database)
                try checkRequest(of: row, adding: text.utf8.count, in: database)
            }
            let number = Value.integer(message.number)
            try database.run(
                "INSERT INTO earlier_text (message, text) VALUES (?, ?)",
                [number, .text(message.text)]
            )
            try database.run(
                """
                DELETE FROM earlier_text WHERE message = ?1 AND number NOT IN
                    (SELECT number FROM earlier_text WHERE message = ?1 ORDER BY number DESC LIMIT ?2)
                """,
                [number, Value(StoreLimits.earlierTextCount)]
            )
            try database.run(
                "UPDATE message SET text = ?, edited = ? WHERE number = ?",
                [.text(text), Value(time.millisecondsSince1970), number]
            )
        }
        streams.send(.messageChanged(id, with: friend))
    }

    /// Deletes a message, as its author wants it.
    ///
    /// Its text, earlier texts and file are overwritten in the database; the index of the search may have single words of
    /// it for longer (Docs/Decisions/0010). That it was there stays, so that it does not come again. It is neither unread
    /// nor waiting any more. A second time this changes nothing.
    ///
    /// - Parameters:
    ///   - id: which message.
    ///   - friend: with whom.
    ///   - author: who wants it: only the message's author may.
    ///   - time: when.
    /// - Throws: ``ChatStoreError/Code/noSuchFriend``, ``ChatStoreError/Code/noSuchMessage``,
    ///   ``ChatStoreError/Code/notTheAuthor``.
    public func delete(
        _ id: MessageID,
        with friend: FriendID,
        by author: StoredMessage.Direction,
        at time: WallTime = .now
    ) throws {
        let changes = try write("delete a message in the chat store") { database in
            let message = try ownMessage(id, with: friend, by: author, in: database)
            guard message.deleted == nil else { return false }
            let number = Value.integer(message.number)
            try database.run("DELETE FROM earlier_text WHERE message = ?", [number])
            try database.run("DELETE FROM file WHERE message = ?", [number])
            try database.run(
                """
                UPDATE message SET text = '', file_name = NULL, file_size = NULL, is_unread = 0,
                    deleted = ? WHERE number = ?
                """,
                [Value(time.millisecondsSince1970), number]
            )
            return true
        }
        if changes { streams.send(.messageChanged(id, with: friend)) }
    }

    /// Changes or deletes a message of the user's that waits and was handed to no messenger yet: nobody else can have it.
    ///
    /// - Parameters:
    ///   - id: which message.
    ///   - text: the new text; `nil` deletes it.
    ///   - friend: whom it is for.
    /// - Returns: whether it is such a one; else nothing is changed.
    /// - Throws: as ``edit(_:with:by:to:at:)`` does.
    package func changeUnsent(
        _ id: MessageID,
        to text: String?,
        with friend: FriendID
    ) throws -> Bool {
        let isUnsent = try read("read a message in the chat store") { database in
            let message = try ownMessage(id, with: friend, by: .outgoing, in: database)
            guard message.state == .waiting else { return false }
            return try database.integer(
                "SELECT may_have_left FROM message WHERE number = ?",
                [.integer(message.number)]
            ) == 0
        }
        guard isUnsent else { return false }
        if let text {
            try edit(id, with: friend, by: .outgoing, to: text)
        } else {
            try delete(id, with: friend, by: .outgoing)
        }
        return true
    }

    /// The texts that a message had before, oldest first.
    ///
    /// - Parameters:
    ///   - id: which message.
    ///   - friend: with whom.
    /// - Returns: the last 16.
    /// - Throws: ``ChatStoreError/Code/noSuchFriend``, ``ChatStoreError/Code/noSuchMessage``.
    public func earlierTexts(of id: MessageID, with friend: FriendID) throws -> [String] {
        try read("read earlier texts in the chat store") { database in
            let message = try StoredMessage(existing: id, with: friend, in: database)
            return try database.rows(
                "SELECT text FROM earlier_text WHERE message = ? ORDER BY number",
                [.integer(message.number)]
            ) { $0.text(at: 0) }
        }
    }

    private func ownMessage(
        _ id: MessageID,
        with friend: FriendID,
        by author: StoredMessage.Direction,
        in database: Database
    ) throws -> StoredMessage {
        let message = try StoredMessage(existing: id, with: friend, in: database)
        guard message.direction == author else {
            throw ChatStoreError(.notTheAuthor, "message \(id) is somebody else's")
        }
        return message
    }
}
