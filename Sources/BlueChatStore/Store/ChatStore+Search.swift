internal import BLESQLite

extension ChatStore {
    /// Searches the texts of messages.
    ///
    /// Any input is a valid search. Each of its words, up to 16 of up to 1,024 bytes together, must be in the
    /// text: the beginning of a word, in any case and with any accents; emoji, and scripts without spaces, as
    /// they are, anywhere.
    ///
    /// - Parameters:
    ///   - input: what a person looks for; without words nothing is found.
    ///   - friend: with whom; `nil` for all.
    ///   - message: a message that was found: only older ones are looked for.
    ///   - count: how many at most, up to 500.
    /// - Returns: the messages, oldest first, and whether older ones have it, too.
    /// - Throws: ``ChatStoreError/Code/noSuchFriend``.
    public func search(
        _ input: String,
        with friend: FriendID? = nil,
        before message: StoredMessage? = nil,
        count: Int = 50
    ) throws -> MessagePage {
        guard let query = SearchQuery(input) else {
            return MessagePage(messages: [], hasMore: false)
        }
        let count = StoreLimits.count(count)
        return try read("search the chat store") { database in
            var conditions = ["m.number < ?"]
            var values: [Value] = [.integer(message?.number ?? .max)]
            if let friend {
                conditions.append("m.friend = ?")
                values.append(.integer(try FriendRow(existing: friend, in: database).number))
            }
            for piece in query.pieces {
                conditions.append("instr(m.text, ?) > 0")
                values.append(.text(piece))
            }
            if let match = query.match {
                conditions.append(
                    "m.number IN (SELECT rowid FROM message_text WHERE message_text MATCH ?)"
                )
                values.append(.text(match))
            }
            values.append(Value(count + 1))
            let found = try database.rows(
                """
                \(StoredMessage.selection) WHERE \(conditions.joined(separator: " AND "))
                ORDER BY m.number DESC LIMIT ?
                """,
                values,
                StoredMessage.init
            )
            return MessagePage(
                messages: found.prefix(count).reversed(),
                hasMore: found.count > count
            )
        }
    }
}
