internal import BLESQLite
internal import BLEStorage
internal import BlueChat

extension FriendID {
    /// The column that says who it is.
    var column: String {
        switch self {
        case .key: "key"
        case .address: "address"
        }
    }

    var value: Value {
        switch self {
        case .key(let key): .bytes(key.bytes)
        case .address(let address): .text(address)
        }
    }

    /// Reads two columns, one of which is NULL.
    init(_ row: borrowing Statement, key: Int32, address: Int32) throws(DatabaseError) {
        if let text = row.optionalText(at: address) {
            self = .address(text)
        } else if let key = ChatKey(row.bytes(at: key)) {
            self = .key(key)
        } else {
            throw DatabaseError(.corrupt, "a friend has no key", attempt: "reading a friend")
        }
    }
}

extension Friend.State {
    /// The state as the database has it.
    init(_ number: Int64) throws(DatabaseError) {
        guard let state = Friend.State(rawValue: Int(number)) else {
            throw DatabaseError(
                .corrupt,
                "a friend's state is unknown",
                attempt: "reading a friend"
            )
        }
        self = state
    }
}

extension Friend {
    /// The columns that ``init(_:)`` reads.
    static let selection = """
        SELECT f.key, f.address, f.told_name, f.given_name, f.state, f.is_verified, f.added,
            p.key, p.address, f.predecessor, f.number
        FROM friend f LEFT JOIN friend p ON p.number = f.predecessor
        """

    init(_ row: borrowing Statement) throws(DatabaseError) {
        self.init(
            id: try FriendID(row, key: 0, address: 1),
            toldName: row.text(at: 2),
            givenName: row.optionalText(at: 3),
            state: try State(row.integer(at: 4)),
            isVerified: row.flag(at: 5),
            added: WallTime(millisecondsSince1970: row.integer(at: 6)),
            predecessor: row.isNull(at: 9) ? nil : try FriendID(row, key: 7, address: 8)
        )
    }
}
