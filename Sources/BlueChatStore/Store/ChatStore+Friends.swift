internal import BLESQLite
public import BLEStorage

extension ChatStore {
    /// All friends, in the order in which they were added; blocked ones, too.
    ///
    /// - Returns: up to 10,000 friends.
    public func friends() throws -> [Friend] {
        try read("read the friends in the chat store") { database in
            try database.rows("\(Friend.selection) ORDER BY f.number", [], Friend.init)
        }
    }

    /// One friend.
    ///
    /// - Parameter id: who.
    /// - Returns: the friend; `nil` for somebody else.
    /// - Throws: ``ChatStoreError``.
    public func friend(_ id: FriendID) throws -> Friend? {
        try read("read a friend in the chat store") { database in
            try database.row(
                "\(Friend.selection) WHERE f.\(id.column) = ?",
                [id.value],
                Friend.init
            )
        }
    }

    /// Adds a friend.
    ///
    /// - Parameters:
    ///   - id: who; an address has 1 to 255 bytes.
    ///   - toldName: the name that they gave themselves, up to 255 bytes.
    ///   - state: how far the friendship is.
    ///   - time: when.
    /// - Throws: ``ChatStoreError/Code/friendExists``, ``ChatStoreError/Code/limitReached``, also for one more who asks
    ///   than ``StoreLimits/requestCount``; ``ChatStoreError/Code/tooLong``, ``ChatStoreError/Code/invalid``.
    public func addFriend(
        _ id: FriendID,
        toldName: String,
        state: Friend.State,
        at time: WallTime = .now
    ) throws {
        try addFriend(id, toldName: toldName, state: state, at: time, isLimited: true)
    }

    /// As ``addFriend(_:toldName:state:at:)``, also beyond ``StoreLimits/requestCount`` where that is no limit.
    func addFriend(
        _ id: FriendID,
        toldName: String,
        state: Friend.State,
        at time: WallTime,
        isLimited: Bool
    ) throws {
        try check("The name", toldName.utf8.count, atMost: StoreLimits.nameByteCount)
        try checkAddress(of: id)
        try write("add a friend to the chat store") { database in
            guard try FriendRow(id, in: database) == nil else {
                throw ChatStoreError(.friendExists, "\(id) is a friend already")
            }
            try checkFriendCount(in: database)
            if isLimited, state == .requestReceived { try checkRequestCount(in: database) }
            try database.run(
                "INSERT INTO friend (\(id.column), told_name, state, added) VALUES (?, ?, ?, ?)",
                [
                    id.value, .text(toldName), Value(state.rawValue),
                    Value(time.millisecondsSince1970),
                ]
            )
        }
        streams.send(.friend(id))
    }

    /// Adds who a friend has become with another key, beside the old one, whose chat is kept.
    ///
    /// The new friend has the old one's names, is not verified, and is to be confirmed by the user anew
    /// (``Friend/State/requestReceived``); who was blocked stays so. ``StoreChange/keyChanged(from:to:)``
    /// tells of it.
    ///
    /// - Parameters:
    ///   - old: the friend.
    ///   - new: the key, or the address, that they have now.
    ///   - time: when.
    /// - Throws: ``ChatStoreError/Code/noSuchFriend``, ``ChatStoreError/Code/friendExists`` for the new
    ///   one, ``ChatStoreError/Code/limitReached``, ``ChatStoreError/Code/tooLong``,
    ///   ``ChatStoreError/Code/invalid``.
    public func changeKey(of old: FriendID, to new: FriendID, at time: WallTime = .now) throws {
        try checkAddress(of: new)
        try write("add a friend's new key to the chat store") { database in
            let row = try FriendRow(existing: old, in: database)
            guard try FriendRow(new, in: database) == nil else {
                throw ChatStoreError(.friendExists, "\(new) is a friend already")
            }
            try checkFriendCount(in: database)
            let state = row.state == .blocked ? Friend.State.blocked : .requestReceived
            try database.run(
                """
                INSERT INTO friend (\(new.column), told_name, given_name, state, added, predecessor)
                SELECT ?, told_name, given_name, ?, ?, number FROM friend WHERE number = ?
                """,
                [
                    new.value, Value(state.rawValue), Value(time.millisecondsSince1970),
                    .integer(row.number),
                ]
            )
        }
        streams.send(.keyChanged(from: old, to: new))
    }

    /// Changes how far a friendship is; also blocks somebody, or no longer.
    ///
    /// - Parameters:
    ///   - state: how far it is now.
    ///   - id: who.
    /// - Throws: ``ChatStoreError/Code/noSuchFriend``.
    public func setState(_ state: Friend.State, of id: FriendID) throws {
        try updateFriend(id, "state = ?", Value(state.rawValue))
    }

    /// Sets whether the user has compared a friend's key with theirs.
    ///
    /// - Parameters:
    ///   - isVerified: whether.
    ///   - id: who.
    /// - Throws: ``ChatStoreError/Code/noSuchFriend``.
    public func setVerified(_ isVerified: Bool, of id: FriendID) throws {
        try updateFriend(id, "is_verified = ?", isVerified ? 1 : 0)
    }

    /// Sets the name that a friend gave themselves.
    ///
    /// - Parameters:
    ///   - name: the name, up to 255 bytes.
    ///   - id: who.
    /// - Throws: ``ChatStoreError/Code/noSuchFriend``, ``ChatStoreError/Code/tooLong``.
    public func setToldName(_ name: String, of id: FriendID) throws {
        try check("The name", name.utf8.count, atMost: StoreLimits.nameByteCount)
        try updateFriend(id, "told_name = ?", .text(name))
    }

    /// Sets the name that somebody has given themselves anew, unless a friend has it: the name before stays then, as who
    /// comes under a friend's would be taken for that friend.
    ///
    /// - Parameters:
    ///   - name: the name, up to 255 bytes.
    ///   - id: who.
    /// - Throws: as ``setToldName(_:of:)`` does.
    package func takeToldName(_ name: String, of id: FriendID) throws {
        let known = try friend(id)
        guard known?.toldName != name else { return }
        let isTaken = try friends().contains { other in
            // Of whom somebody is the successor, the user has been warned.
            other.id != id && other.id != known?.predecessor
                && (other.state == .confirmed || other.state == .requested)
                && (other.toldName == name || other.givenName == name)
        }
        if !isTaken { try setToldName(name, of: id) }
    }

    /// Gives a friend a name of the user's.
    ///
    /// - Parameters:
    ///   - id: who.
    ///   - name: the name, up to 255 bytes, not of blanks alone; `nil` for their own.
    /// - Throws: ``ChatStoreError/Code/noSuchFriend``, ``ChatStoreError/Code/tooLong``,
    ///   ``ChatStoreError/Code/invalid``.
    public func rename(_ id: FriendID, to name: String?) throws {
        try check("The name", name?.utf8.count ?? 0, atMost: StoreLimits.nameByteCount)
        guard name?.allSatisfy(\.isWhitespace) != true else {
            throw ChatStoreError(.invalid, "A friend's name is empty; \(path) was not changed")
        }
        try updateFriend(id, "given_name = ?", Value(name))
    }

    /// Removes a friend and all messages with them; these are overwritten as by ``delete(_:with:by:at:)``.
    ///
    /// - Parameter id: who.
    /// - Throws: ``ChatStoreError/Code/noSuchFriend``.
    public func removeFriend(_ id: FriendID) throws {
        try write("remove a friend from the chat store") { database in
            let row = try FriendRow(existing: id, in: database)
            try database.run("DELETE FROM message WHERE friend = ?", [.integer(row.number)])
            try database.run("DELETE FROM friend WHERE number = ?", [.integer(row.number)])
        }
        streams.send(.friendRemoved(id))
    }

    /// Removes somebody who wants to be a friend and has said nothing, unless it is somebody whose key has changed.
    ///
    /// - Parameter id: who.
    /// - Returns: whether it was such a one.
    /// - Throws: ``ChatStoreError``.
    @discardableResult
    public func removeStranger(_ id: FriendID) throws -> Bool {
        let isRemoved = try write("remove a stranger from the chat store") { database in
            try database.run(
                """
                DELETE FROM friend WHERE \(id.column) = ? AND state = ? AND predecessor IS NULL
                    AND NOT EXISTS (SELECT 1 FROM message WHERE message.friend = friend.number)
                """,
                [id.value, Value(Friend.State.requestReceived.rawValue)]
            )
            return database.changeCount > 0
        }
        if isRemoved { streams.send(.friendRemoved(id)) }
        return isRemoved
    }

    // MARK: - Parts

    private func updateFriend(_ id: FriendID, _ assignment: String, _ value: Value) throws {
        try write("change a friend in the chat store") { database in
            let row = try FriendRow(existing: id, in: database)
            try database.run(
                "UPDATE friend SET \(assignment) WHERE number = ?",
                [value, .integer(row.number)]
            )
        }
        streams.send(.friend(id))
    }

    private func checkAddress(of id: FriendID) throws {
        guard case .address(let address) = id else { return }
        try check("The address", address.utf8.count, atMost: StoreLimits.nameByteCount)
        guard address.isEmpty else { return }
        throw ChatStoreError(.invalid, "A friend's address is empty; \(path) was not changed")
    }

    private func checkRequestCount(in database: Database) throws {
        let count = try database.integer(
            "SELECT count(*) FROM friend WHERE state = ?",
            [Value(Friend.State.requestReceived.rawValue)]
        )
        guard count < StoreLimits.requestCount else {
            throw ChatStoreError(
                .limitReached,
                "\(StoreLimits.requestCount) strangers wait for an answer already"
            )
        }
    }

    private func checkFriendCount(in database: Database) throws {
        guard try database.integer("SELECT count(*) FROM friend") < StoreLimits.friendCount else {
            throw ChatStoreError(
                .limitReached,
                "there are \(StoreLimits.friendCount) friends; remove some first"
            )
        }
    }
}
