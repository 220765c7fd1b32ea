internal import BLESQLite
public import MeshRelay

/// A contact as the store has it in memory.
struct ContactRow {
    let number: Int64
    var link: RelayLink
    var isVerified: Bool
}

extension RelayStore {
    /// The contacts, by their addresses.
    ///
    /// - Returns: all of them.
    /// - Throws: `StoreError`.
    public func contacts() throws -> [RelayContact] {
        let counts = try read("count messages") { database in
            Dictionary(
                uniqueKeysWithValues: try database.rows(
                    "SELECT contact, count(*) FROM message WHERE is_unread = 1 GROUP BY contact"
                ) { ($0.integer(at: 0), Int($0.integer(at: 1))) }
            )
        }
        return contactRows.values.sorted { $0.link.address.text < $1.link.address.text }.map {
            RelayContact(
                link: $0.link,
                isVerified: $0.isVerified,
                unreadCount: counts[$0.number] ?? 0
            )
        }
    }

    /// Adds a contact, or gives one another key, which is not verified then.
    ///
    /// - Parameters:
    ///   - link: what the contact has shown.
    ///   - replacesKey: whether a contact of that address may have had another key.
    /// - Throws: `RelayError`: `keyChanged`, `invalidLink` for this user's own address or key, `full`.
    public func add(_ link: RelayLink, replacingKey replacesKey: Bool = false) throws {
        guard try link.address != address(), link.key != identity.key else {
            throw RelayError(.invalidLink, "the link is this user's own")
        }
        if let known = contactRows[link.address] {
            guard known.link.key != link.key else { return }
            guard replacesKey else { throw RelayError(keyChangedOf: known.link, to: link) }
            try write("change a contact") { database in
                try database.run(
                    "UPDATE contact SET link = ?, is_verified = 0 WHERE number = ?",
                    [.bytes(seal(link, known.number)), .integer(known.number)]
                )
            }
            contactRows[link.address] = ContactRow(
                number: known.number,
                link: link,
                isVerified: false
            )
            return
        }
        guard contactRows.count < RelayNode.maximumContactCount else {
            throw RelayError(
                .full,
                "\(link.address) was not added: there are \(contactRows.count) contacts"
            )
        }
        let number = try write("add a contact") { database in
            // Its number is a part of what is encrypted.
            try database.run("INSERT INTO contact (link, is_bound) VALUES (?, 1)", [.bytes([])])
            let number = database.lastInsertedNumber
            try database.run(
                "UPDATE contact SET link = ? WHERE number = ?",
                [.bytes(seal(link, number)), .integer(number)]
            )
            return number
        }
        contactRows[link.address] = ContactRow(number: number, link: link, isVerified: false)
    }

    /// Removes a contact with all messages.
    ///
    /// - Parameter contact: whom; somebody who is none is left alone.
    /// - Throws: `StoreError`.
    public func remove(_ contact: RelayAddress) throws {
        guard let row = contactRows[contact] else { return }
        try write("remove a contact") { database in
            try database.run("DELETE FROM contact WHERE number = ?", [.integer(row.number)])
        }
        contactRows[contact] = nil
    }

    /// Remembers whether the user has compared a contact's fingerprint with them.
    ///
    /// - Parameters:
    ///   - contact: whose.
    ///   - isVerified: whether it was the same.
    /// - Throws: `RelayError` with `unknownContact`.
    public func setVerified(_ contact: RelayAddress, _ isVerified: Bool = true) throws {
        let row = try row(of: contact)
        try write("change a contact") { database in
            try database.run(
                "UPDATE contact SET link = ?, is_verified = ? WHERE number = ?",
                [
                    .bytes(seal(row.link, row.number, isVerified: isVerified)),
                    isVerified ? 1 : 0, .integer(row.number),
                ]
            )
        }
        contactRows[contact]?.isVerified = isVerified
    }

    func row(of contact: RelayAddress) throws(RelayError) -> ContactRow {
        guard let row = contactRows[contact] else {
            throw RelayError(
                .unknownContact,
                "\(contact) is no contact: their link is needed first"
            )
        }
        return row
    }

    /// The contacts' addresses, by the numbers that they have in the database.
    var addresses: [Int64: RelayAddress] {
        Dictionary(uniqueKeysWithValues: contactRows.values.map { ($0.number, $0.link.address) })
    }

    func readContacts() throws {
        let rows = try read("read the contacts") { database in
            try database.rows("SELECT number, link, is_verified, is_bound FROM contact") {
                ($0.integer(at: 0), $0.bytes(at: 1), $0.flag(at: 2), $0.flag(at: 3))
            }
        }
        var unbound: [ContactRow] = []
        for (number, bytes, isVerified, isBound) in rows {
            let place = isBound ? place(number, isVerified) : "a contact"
            let link = try RelayLink(try keys.open(bytes, for: place))
            let row = ContactRow(number: number, link: link, isVerified: isVerified)
            contactRows[link.address] = row
            if !isBound { unbound.append(row) }
        }
        try bind(unbound)
    }

    /// Encrypts the links anew that versions before have encrypted without their numbers.
    private func bind(_ rows: [ContactRow]) throws {
        guard !rows.isEmpty else { return }
        try write("change contacts") { database in
            for row in rows {
                try database.run(
                    "UPDATE contact SET link = ?, is_bound = 1 WHERE number = ?",
                    [
                        .bytes(seal(row.link, row.number, isVerified: row.isVerified)),
                        .integer(row.number),
                    ]
                )
            }
        }
    }

    private func seal(_ link: RelayLink, _ number: Int64, isVerified: Bool = false) -> [UInt8] {
        keys.seal("\(link)", for: place(number, isVerified))
    }

    /// Whose messages are whose, and what the user has said of a key, is as much to be kept as the key.
    private func place(_ number: Int64, _ isVerified: Bool) -> String {
        isVerified ? "verified contact \(number)" : "contact \(number)"
    }
}
