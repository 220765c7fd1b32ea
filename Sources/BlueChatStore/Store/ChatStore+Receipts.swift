internal import BLESQLite
internal import BlueChat

// What ends of a chat have said about messages.
extension ChatStore {
    /// How many messages an end of a chat remembers.
    private static let knownCount = 4_096

    /// The messages that a friend has and has not read, those of the friend, and the last of those that the user has read.
    func receipts(
        of friend: FriendID
    ) throws -> (unread: [MessageID], received: [MessageID], lastRead: MessageID?) {
        try read("read receipts in the chat store") { database in
            let number = Value.integer(try FriendRow(existing: friend, in: database).number)
            let unread = try Self.ids(
                "is_outgoing = 1 AND state IN (2, 3) AND deleted IS NULL",
                of: number,
                in: database
            )
            let received = try Self.ids("is_outgoing = 0", of: number, in: database)
            let lastRead = try database.row(
                """
                SELECT id FROM message
                WHERE friend = ?1 AND is_outgoing = 0 AND is_unread = 0 AND number < ifnull(
                    (SELECT min(number) FROM message WHERE friend = ?1 AND is_unread = 1), ?2)
                ORDER BY number DESC LIMIT 1
                """,
                [number, .integer(.max)]
            ) { $0.bytes(at: 0) }
            return (unread, received, lastRead.flatMap { MessageID($0) })
        }
    }

    private static func ids(
        _ condition: String,
        of friend: Value,
        in database: Database
    ) throws -> [MessageID] {
        try database.rows(
            """
            SELECT id FROM message WHERE friend = ? AND \(condition)
            ORDER BY number DESC LIMIT \(knownCount)
            """,
            [friend]
        ) { $0.bytes(at: 0) }.reversed().compactMap { MessageID($0) }
    }

    /// Says how far messages of the user's have come; those that are not there, or not the user's, are passed over.
    func setState(_ state: DeliveryState, of ids: [MessageID], to friend: FriendID) throws {
        let changed = try write("change messages' states in the chat store") { database in
            let row = try FriendRow(existing: friend, in: database)
            return try ids.filter { id in
                guard let message = try StoredMessage(id, of: row, in: database),
                    message.state?.canBecome(state) == true
                else { return false }
                try database.run(
                    "UPDATE message SET state = ?, reason = ? WHERE number = ?",
                    [Value(state.rank), Value(state.reason), .integer(message.number)]
                )
                return true
            }
        }
        for id in changed { streams.send(.messageChanged(id, with: friend)) }
    }
}
