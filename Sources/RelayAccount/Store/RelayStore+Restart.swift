internal import BLESQLite
internal import MeshRelay

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
}
