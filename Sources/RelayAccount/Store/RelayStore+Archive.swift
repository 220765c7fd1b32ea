internal import BLESQLite
public import MeshRelay

extension RelayStore: RelayArchive {
    /// Keeps a contact's message.
    ///
    /// - Parameter message: the message.
    /// - Returns: whether it was not there.
    /// - Throws: `StoreError`; `RelayError` with `unknownContact`.
    public func keep(_ message: RelayMessage) throws -> Bool {
        try addIncoming(message) != nil
    }

    /// Keeps that a message of the user's has come to a contact; what was read stays so.
    ///
    /// - Parameters:
    ///   - id: the message's number.
    ///   - contact: to whom.
    /// - Throws: `StoreError`; `RelayError` with `unknownContact`.
    public func keepDelivery(of id: Int32, to contact: RelayAddress) throws {
        try advance([id], of: contact, to: .delivered)
    }

    /// Keeps that messages of the user's have been read.
    ///
    /// - Parameters:
    ///   - ids: the messages' numbers.
    ///   - contact: by whom.
    /// - Throws: `StoreError`; `RelayError` with `unknownContact`.
    public func keepReading(of ids: [Int32], by contact: RelayAddress) throws {
        try advance(ids, of: contact, to: .read)
    }

    private func advance(
        _ ids: [Int32],
        of contact: RelayAddress,
        to status: RelayMessageStatus
    ) throws {
        let row = try row(of: contact)
        // One that was given up has come all the same.
        let earlier = status == .read ? "(0, 1, 6)" : "(0, 6)"
        try write("save a receipt") { database in
            for id in ids {
                try database.run(
                    "UPDATE message SET status = ? WHERE contact = ? AND id = ? "
                        + "AND is_outgoing = 1 AND status IN \(earlier)",
                    [
                        .integer(Int64(status.rawValue)), .integer(row.number),
                        .integer(Int64(id)),
                    ]
                )
            }
        }
    }
}
