internal import BLESQLite
public import BlueChat

extension ChatStore {
    /// The messages that wait for a friend, or are on their way, oldest first.
    ///
    /// - Parameters:
    ///   - friend: for whom.
    ///   - count: how many at most, up to 500.
    /// - Returns: the messages, ``DeliveryState/waiting`` or ``DeliveryState/sending``.
    /// - Throws: ``ChatStoreError/Code/noSuchFriend``.
    public func waitingMessages(
        for friend: FriendID,
        count: Int = StoreLimits.pageCount
    ) throws -> [StoredMessage] {
        try read("read what waits in the chat store") { database in
            let row = try FriendRow(existing: friend, in: database)
            return try database.rows(
                """
                \(StoredMessage.selection)
                WHERE m.friend = ? AND m.state < 2 AND m.deleted IS NULL ORDER BY m.number LIMIT ?
                """,
                [.integer(row.number), Value(StoreLimits.count(count))],
                StoredMessage.init
            )
        }
    }

    /// Says how far a message of the user's has come; it only goes forward.
    ///
    /// What is no step forward, as a receipt that comes twice or late, changes nothing.
    ///
    /// - Parameters:
    ///   - state: how far.
    ///   - id: which message.
    ///   - friend: with whom.
    /// - Returns: whether anything changed.
    /// - Throws: ``ChatStoreError/Code/noSuchFriend``, ``ChatStoreError/Code/noSuchMessage``,
    ///   ``ChatStoreError/Code/notTheAuthor`` for a message of the friend's.
    @discardableResult
    public func setState(
        _ state: DeliveryState,
        of id: MessageID,
        to friend: FriendID
    ) throws -> Bool {
        try change(id, to: friend) { $0.canBecome(state) ? state : nil }
    }

    /// Lets a message that failed wait again, in its old place.
    ///
    /// - Parameters:
    ///   - id: which message.
    ///   - friend: whom it is for.
    /// - Returns: whether it had failed.
    /// - Throws: ``ChatStoreError/Code/noSuchFriend``, ``ChatStoreError/Code/noSuchMessage``,
    ///   ``ChatStoreError/Code/notTheAuthor``, ``ChatStoreError/Code/deleted``,
    ///   ``ChatStoreError/Code/limitReached`` when 10,000 wait for this friend.
    @discardableResult
    public func resend(_ id: MessageID, to friend: FriendID) throws -> Bool {
        try change(id, to: friend, mayBeDeleted: false) { state in
            guard case .failed = state else { return nil }
            return .waiting
        }
    }

    /// Why a message for an original has failed of which it is not known whether it has arrived.
    package static let unknownArrival = "it is not known whether it has arrived"

    /// Lets those messages wait again that were on their way when the connection to a friend was lost.
    ///
    /// They may have arrived: who gets one twice knows it by its identifier. One for somebody without a key
    /// becomes ``DeliveryState/failed(_:)``, as an original would show it twice.
    ///
    /// - Parameter friend: whom they are for.
    /// - Returns: how many were on their way.
    /// - Throws: ``ChatStoreError/Code/noSuchFriend``.
    @discardableResult
    public func requeue(to friend: FriendID) throws -> Int {
        let count = try write("let messages in the chat store wait again") { database in
            let row = try FriendRow(existing: friend, in: database)
            let next = friend.isKey ? DeliveryState.waiting : .failed(Self.unknownArrival)
            try database.run(
                """
                UPDATE message SET state = ?, reason = ?
                WHERE friend = ? AND state < 2 AND deleted IS NULL AND state = 1
                """,
                [Value(next.rank), Value(next.reason), .integer(row.number)]
            )
            return database.changeCount
        }
        if count > 0 { streams.send(.messagesChanged(with: friend)) }
        return count
    }

    /// Lets a message wait again that was to be sent, and is known not to have left.
    ///
    /// - Parameters:
    ///   - id: which message.
    ///   - friend: whom it is for.
    /// - Throws: as ``setState(_:of:to:)`` does.
    package func postpone(_ id: MessageID, to friend: FriendID) throws {
        _ = try change(id, to: friend) { $0 == .sending ? .waiting : nil }
    }

    /// Notes that messages are handed to a messenger: from then on the friend may have them.
    ///
    /// - Parameters:
    ///   - number: the place of the last one; those that wait before it are meant, too.
    ///   - friend: whom they are for.
    /// - Throws: ``ChatStoreError``.
    func noteDeparture(through number: Int64, to friend: FriendID) throws {
        try write("note in the chat store what is sent") { database in
            let row = try FriendRow(existing: friend, in: database)
            try database.run(
                """
                UPDATE message SET may_have_left = 1
                WHERE friend = ? AND number <= ? AND may_have_left = 0
                    AND state < 2 AND deleted IS NULL
                """,
                [.integer(row.number), .integer(number)]
            )
        }
    }

    private func change(
        _ id: MessageID,
        to friend: FriendID,
        mayBeDeleted: Bool = true,
        _ next: (DeliveryState) -> DeliveryState?
    ) throws -> Bool {
        let changes = try write("change a message's state in the chat store") { database in
            let message = try StoredMessage(existing: id, with: friend, in: database)
            guard let state = message.state else {
                throw ChatStoreError(.notTheAuthor, "message \(id) is the friend's")
            }
            guard mayBeDeleted || message.deleted == nil else {
                throw ChatStoreError(.deleted, "message \(id) has been deleted")
            }
            guard let next = next(state) else { return false }
            // What is on its way has its place.
            if next == .waiting, state != .sending {
                let row = try FriendRow(existing: friend, in: database)
                try checkWaitingCount(of: row, in: database)
            }
            try database.run(
                "UPDATE message SET state = ?, reason = ? WHERE number = ?",
                [
                    Value(next.rank), Value(next.reason?.cut(to: StoreLimits.reasonByteCount)),
                    .integer(message.number),
                ]
            )
            return true
        }
        if changes { streams.send(.messageChanged(id, with: friend)) }
        return changes
    }

    /// Fails when as many messages wait for a friend as may.
    func checkWaitingCount(of friend: FriendRow, in database: Database) throws {
        let count = try database.integer(
            "SELECT count(*) FROM message WHERE friend = ? AND state < 2 AND deleted IS NULL",
            [.integer(friend.number)]
        )
        guard count < StoreLimits.waitingCount else {
            throw ChatStoreError(
                .limitReached,
                "\(StoreLimits.waitingCount) messages wait for this friend already"
            )
        }
    }
}
