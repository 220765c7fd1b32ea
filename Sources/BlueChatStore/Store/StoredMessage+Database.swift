internal import BLESQLite
internal import BLEStorage
internal import BlueChat

extension StoredMessage {
    /// The columns that ``init(_:)`` reads.
    static let selection = """
        SELECT m.number, m.id, m.is_outgoing, m.text, m.file_name, m.file_size, m.sent, m.received,
            m.state, m.reason, m.is_unread, m.edited, m.deleted, f.key, f.address
        FROM message m JOIN friend f ON f.number = m.friend
        """

    init(_ row: borrowing Statement) throws(DatabaseError) {
        guard let id = MessageID(row.bytes(at: 1)) else {
            throw DatabaseError(
                .corrupt,
                "a message has no identifier",
                attempt: "reading a message"
            )
        }
        let isOutgoing = row.flag(at: 2)
        let state =
            isOutgoing
            ? DeliveryState(rank: row.integer(at: 8), reason: row.optionalText(at: 9)) : nil
        let time = { (time: Int64?) in time.map { WallTime(millisecondsSince1970: $0) } }
        let size = row.optionalInteger(at: 5)
        self.init(
            id: id,
            friend: try FriendID(row, key: 13, address: 14),
            number: row.integer(at: 0),
            direction: isOutgoing ? .outgoing : .incoming,
            text: row.text(at: 3),
            file: size.map { File(name: row.text(at: 4), byteCount: Int($0)) },
            sent: WallTime(millisecondsSince1970: row.integer(at: 6)),
            received: time(row.optionalInteger(at: 7)),
            state: state,
            isUnread: row.flag(at: 10),
            edited: time(row.optionalInteger(at: 11)),
            deleted: time(row.optionalInteger(at: 12))
        )
    }

    /// Finds a message.
    init?(_ id: MessageID, of friend: FriendRow, in database: Database) throws(DatabaseError) {
        let message = try database.row(
            "\(Self.selection) WHERE m.friend = ? AND m.id = ?",
            [.integer(friend.number), .bytes(id.bytes)],
            StoredMessage.init
        )
        guard let message else { return nil }
        self = message
    }

    /// Finds a message, or says that there is none.
    init(existing id: MessageID, with friend: FriendID, in database: Database) throws {
        let row = try FriendRow(existing: friend, in: database)
        guard let message = try StoredMessage(id, of: row, in: database) else {
            throw ChatStoreError(
                .noSuchMessage,
                "there is no message \(id) with \(friend)"
            )
        }
        self = message
    }
}
