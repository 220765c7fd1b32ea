internal import BLESQLite
public import BLEStorage
public import MeshRelay

extension RelayStore {
    // MARK: - Adding

    /// Adds a message of the user's, as ``RelayMessageStatus/sent``.
    ///
    /// - Parameters:
    ///   - text: what it says.
    ///   - id: its number, which no other message to this contact has.
    ///   - contact: to whom.
    ///   - time: when.
    /// - Returns: the message as it is kept.
    /// - Throws: `RelayError`: `unknownContact`, `empty`, `tooLong`.
    public func addOutgoing(
        _ text: String,
        id: Int32,
        to contact: RelayAddress,
        at time: WallTime = .now
    ) throws -> StoredRelayMessage {
        let row = try row(of: contact)
        try check(text)
        return try write("add a message") { database in
            try insert(text, id, row, isOutgoing: true, time, .sent, into: database)
        }
    }

    /// Adds a contact's message, unless it is there already.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - time: when it has come.
    /// - Returns: the message as it is kept; `nil` when it is there already.
    /// - Throws: `RelayError`: `unknownContact`, `tooLong`.
    public func addIncoming(
        _ message: RelayMessage,
        at time: WallTime = .now
    ) throws -> StoredRelayMessage? {
        let row = try row(of: message.sender)
        if !message.text.isEmpty { try check(message.text) }
        return try write("add a message") { database in
            let isKnown = try database.integer(
                "SELECT EXISTS (SELECT 1 FROM message WHERE contact = ? AND id = ? "
                    + "AND is_outgoing = 0)",
                [.integer(row.number), .integer(Int64(message.id))]
            )
            guard isKnown == 0 else { return nil }
            return try insert(
                message.text,
                message.id,
                row,
                isOutgoing: false,
                time,
                .received,
                nonce: message.nonce,
                into: database
            )
        }
    }

    private func check(_ text: String) throws(RelayError) {
        guard !text.isEmpty else { throw RelayError(.empty, "a message has a text") }
        guard text.utf8.count <= RelayPacket.maximumByteCount else {
            throw RelayError(
                .tooLong,
                "the text has \(text.utf8.count) bytes; no packet has more than "
                    + "\(RelayPacket.maximumByteCount)"
            )
        }
    }

    private func insert(
        _ text: String,
        _ id: Int32,
        _ row: ContactRow,
        isOutgoing: Bool,
        _ time: WallTime,
        _ status: RelayMessageStatus,
        nonce: [UInt8] = [],
        into database: Database
    ) throws -> StoredRelayMessage {
        try database.run(
            "INSERT INTO message (contact, id, is_outgoing, text, time, status, is_unread, nonce) "
                + "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                .integer(row.number), .integer(Int64(id)), isOutgoing ? 1 : 0,
                .bytes(keys.seal(text, for: place(row.number, id, isOutgoing: isOutgoing))),
                .integer(time.millisecondsSince1970), .integer(Int64(status.rawValue)),
                isOutgoing ? 0 : 1, nonce.isEmpty ? nil : .bytes(nonce),
            ]
        )
        let message = StoredRelayMessage(
            number: database.lastInsertedNumber,
            messageID: id,
            contact: row.link.address,
            isOutgoing: isOutgoing,
            text: text,
            time: time,
            status: status,
            isUnread: !isOutgoing
        )
        try trimNowAndThen(at: time, in: database)
        return message
    }

    private func place(_ contact: Int64, _ id: Int32, isOutgoing: Bool) -> String {
        "message \(id) \(isOutgoing ? "to" : "from") contact \(contact)"
    }

    // MARK: - Reading

    /// Messages with a contact, the oldest first.
    ///
    /// - Parameters:
    ///   - contact: with whom.
    ///   - number: before which one; `nil` for the newest.
    ///   - count: how many at most, 1 to 500.
    /// - Returns: the messages.
    /// - Throws: `RelayError` with `unknownContact`.
    public func messages(
        with contact: RelayAddress,
        before number: Int64? = nil,
        count: Int = 100
    ) throws -> [StoredRelayMessage] {
        let row = try row(of: contact)
        return try messages(
            "WHERE contact = ? AND number < ? ORDER BY number DESC LIMIT ?",
            [
                .integer(row.number), .integer(number ?? .max),
                .integer(Int64(min(max(count, 1), 500))),
            ]
        ).reversed()
    }

    /// The user's messages that have not been acknowledged, the oldest first; 500 at most.
    ///
    /// - Returns: the messages.
    /// - Throws: `StoreError`.
    public func waitingMessages() throws -> [StoredRelayMessage] {
        try messages("WHERE status = 0 ORDER BY number LIMIT 500", [])
    }

    /// One message.
    ///
    /// - Parameter number: which.
    /// - Returns: the message; `nil` when there is none of that number.
    /// - Throws: `StoreError`.
    public func message(_ number: Int64) throws -> StoredRelayMessage? {
        try messages("WHERE number = ?", [.integer(number)]).first
    }

    /// The messages of a number with a contact: one of the user's, one of the contact's, or both, as each chooses its own numbers.
    ///
    /// - Parameters:
    ///   - id: the number, which packets have, too.
    ///   - contact: with whom.
    /// - Returns: the messages, two at most.
    /// - Throws: `RelayError` with `unknownContact`.
    public func messages(of id: Int32, with contact: RelayAddress) throws -> [StoredRelayMessage] {
        let row = try row(of: contact)
        return try messages(
            "WHERE contact = ? AND id = ? ORDER BY number",
            [.integer(row.number), .integer(Int64(id))]
        )
    }

    private func messages(_ condition: String, _ values: [Value]) throws -> [StoredRelayMessage] {
        let addresses = addresses
        return try read("read messages") { database in
            let rows = try database.rows(
                "SELECT number, contact, id, is_outgoing, text, time, status, is_unread "
                    + "FROM message " + condition,
                values
            ) { row in
                (
                    row.integer(at: 0), row.integer(at: 1),
                    Int32(truncatingIfNeeded: row.integer(at: 2)),
                    row.flag(at: 3), row.bytes(at: 4), row.integer(at: 5),
                    Int(row.integer(at: 6)), row.flag(at: 7)
                )
            }
            return try rows.compactMap {
                number,
                contact,
                id,
                isOutgoing,
                bytes,
                time,
                status,
                isUnread in
                guard let address = addresses[contact] else { return nil }
                let place = place(contact, id, isOutgoing: isOutgoing)
                return StoredRelayMessage(
                    number: number,
                    messageID: id,
                    contact: address,
                    isOutgoing: isOutgoing,
                    text: try keys.open(bytes, for: place),
                    time: WallTime(millisecondsSince1970: time),
                    status: RelayMessageStatus(rawValue: status) ?? .unknown,
                    isUnread: isUnread
                )
            }
        }
    }

    // MARK: - Changing

    /// Marks messages of a contact as read by the user.
    ///
    /// - Parameters:
    ///   - contact: whose.
    ///   - numbers: which of them, by their places in the store; `nil` for all.
    ///   - sendsReceipts: whether the contact is told, so that their status becomes ``RelayMessageStatus/receiptSent``.
    /// - Returns: those of which the contact is to be told.
    /// - Throws: `RelayError` with `unknownContact`.
    public func markRead(
        _ contact: RelayAddress,
        numbers: ClosedRange<Int64>? = nil,
        sendingReceipts sendsReceipts: Bool
    ) throws -> [Int32] {
        let numbers = numbers ?? 0...Int64.max
        let values: [Value] = [
            .integer(try row(of: contact).number), .integer(numbers.lowerBound),
            .integer(numbers.upperBound),
        ]
        let condition = "contact = ? AND number BETWEEN ? AND ?"
        return try write("mark messages as read") { database in
            try database.run(
                "UPDATE message SET is_unread = 0 WHERE \(condition) AND is_unread = 1",
                values
            )
            guard sendsReceipts else { return [] }
            let received = "\(condition) AND is_outgoing = 0 AND status = 3"
            let ids = try database.rows(
                "SELECT id FROM message WHERE \(received) ORDER BY number",
                values
            ) { Int32(truncatingIfNeeded: $0.integer(at: 0)) }
            try database.run("UPDATE message SET status = 4 WHERE \(received)", values)
            return ids
        }
    }

    /// Gives up messages of the user's, by their places, but for those that have come: they are ``RelayMessageStatus/failed``.
    func fail(_ numbers: [Int64]) throws {
        try write("give up messages") { database in
            for number in numbers {
                try database.run(
                    "UPDATE message SET status = 6 WHERE number = ? AND status = 0",
                    [.integer(number)]
                )
            }
        }
    }

    /// Deletes a message here; what others have stays.
    ///
    /// - Parameter number: which.
    /// - Throws: `StoreError`.
    public func delete(_ number: Int64) throws {
        try write("delete a message") { database in
            try database.run("DELETE FROM message WHERE number = ?", [.integer(number)])
        }
    }

    /// Deletes all messages with a contact here.
    ///
    /// - Parameter contact: with whom.
    /// - Throws: `RelayError` with `unknownContact`.
    public func clear(_ contact: RelayAddress) throws {
        let row = try row(of: contact)
        try write("delete messages") { database in
            try database.run("DELETE FROM message WHERE contact = ?", [.integer(row.number)])
        }
    }

    // MARK: - Limits

    /// Counting takes as long as there are messages, so this is done with one of a thousand.
    private func trimNowAndThen(at time: WallTime, in database: Database) throws {
        addedCount += 1
        if addedCount.isMultiple(of: 1_000) { try trim(at: time, in: database) }
    }

    func trim(at time: WallTime) throws {
        try write("delete old messages") { try trim(at: time, in: $0) }
    }

    private func trim(at time: WallTime, in database: Database) throws {
        if let age = limits.messageAge {
            // An age of more milliseconds than Int64 has is as good as that of 30,000 years.
            let milliseconds = Int64(min(max(age / .milliseconds(1), 0), 1e15))
            try database.run(
                "DELETE FROM message WHERE time < ?",
                [.integer(time.millisecondsSince1970 - milliseconds)]
            )
        }
        let count = try database.integer("SELECT count(*) FROM message")
        let excess = count - Int64(limits.messageCount)
        guard excess > 0 else { return }
        try database.run(
            "DELETE FROM message WHERE number IN "
                + "(SELECT number FROM message ORDER BY number LIMIT ?)",
            [.integer(excess)]
        )
    }
}
