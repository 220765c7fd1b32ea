internal import BLESQLite

/// A friend's row, as other tables refer to it.
struct FriendRow {
    let number: Int64
    let state: Friend.State

    /// Finds a friend.
    init?(_ id: FriendID, in database: Database) throws(DatabaseError) {
        let row = try database.row(
            "SELECT number, state FROM friend WHERE \(id.column) = ?",
            [id.value]
        ) { row throws(DatabaseError) in
            (row.integer(at: 0), try Friend.State(row.integer(at: 1)))
        }
        guard let row else { return nil }
        (number, state) = row
    }

    /// Finds a friend, or says that there is none.
    init(existing id: FriendID, in database: Database) throws {
        guard let row = try FriendRow(id, in: database) else {
            throw ChatStoreError(.noSuchFriend, "there is no friend \(id)")
        }
        self = row
    }
}
