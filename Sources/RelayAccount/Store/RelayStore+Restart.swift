internal import BLESQLite
internal import BLEStorage
internal import MeshRelay

/// A message of the user's that has not been acknowledged.
struct WaitingMessage: Sendable {
    /// Its place in the store.
    let number: Int64
    /// To which contact, by its number in the database.
    let contact: Int64
    /// When it was sent.
    let time: WallTime
}

// What a node has to know of the one before it.
extension RelayStore {
    /// What contacts' messages began with on the air.
    ///
    /// - Parameter count: of how many, the newest.
    /// - Returns: by whom, their numbers, and that; the oldest first.
    /// - Throws: `StoreError`.
    func knownTexts(
        atMost count: Int
    ) throws -> [(sender: RelayAddress, id: Int32, nonce: [UInt8])] {
        let rows = try read("read messages") { database in
            try database.rows(
                "SELECT contact, id, nonce FROM message WHERE nonce IS NOT NULL "
                    + "ORDER BY number DESC LIMIT ?",
                [.integer(Int64(count))]
            ) {
                (
                    $0.integer(at: 0), Int32(truncatingIfNeeded: $0.integer(at: 1)),
                    $0.bytes(at: 2)
                )
            }
        }
        let addresses = addresses
        return rows.reversed().compactMap { contact, id, nonce in
            addresses[contact].map { ($0, id, nonce) }
        }
    }

    /// The user's messages that have not been acknowledged.
    ///
    /// - Returns: all of them, the oldest first.
    /// - Throws: `StoreError`.
    func waiting() throws -> [WaitingMessage] {
        try read("read messages") { database in
            try database.rows(
                "SELECT number, contact, time FROM message WHERE status = 0 ORDER BY number"
            ) {
                WaitingMessage(
                    number: $0.integer(at: 0),
                    contact: $0.integer(at: 1),
                    time: WallTime(millisecondsSince1970: $0.integer(at: 2))
                )
            }
        }
    }

    /// The user's messages of which receipts may still come: also of those that were given up.
    ///
    /// - Parameter count: how many, the newest.
    /// - Returns: to whom, their numbers, and whether they are acknowledged; the oldest first.
    /// - Throws: `StoreError`.
    func unreadByReceivers(
        atMost count: Int
    ) throws -> [(receiver: RelayAddress, id: Int32, isDelivered: Bool)] {
        let rows = try read("read messages") { database in
            try database.rows(
                "SELECT contact, id, status FROM message WHERE is_outgoing = 1 "
                    + "AND status IN (0, 1, 6) ORDER BY number DESC LIMIT ?",
                [.integer(Int64(count))]
            ) {
                (
                    $0.integer(at: 0), Int32(truncatingIfNeeded: $0.integer(at: 1)),
                    $0.integer(at: 2) == 1
                )
            }
        }
        let addresses = addresses
        return rows.reversed().compactMap { contact, id, isDelivered in
            addresses[contact].map { ($0, id, isDelivered) }
        }
    }
}
