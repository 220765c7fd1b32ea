internal import BLEStorage

/// What the tables of a relay's store look like.
///
/// Texts, addresses and keys are encrypted; numbers, times and states are not.
enum RelaySchema {
    /// "dimr" in ASCII.
    private static let applicationID: Int64 = 0x6469_6D72

    static var newest: StoreSchema {
        StoreSchema(applicationID: applicationID, migrations: migrations)
    }

    private static let migrations = [
        """
        CREATE TABLE profile (
            number INTEGER PRIMARY KEY CHECK (number = 1),
            address BLOB NOT NULL
        ) STRICT;
        CREATE TABLE contact (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            link BLOB NOT NULL,
            is_verified INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE TABLE message (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            contact INTEGER NOT NULL REFERENCES contact ON DELETE CASCADE,
            id INTEGER NOT NULL CHECK (id BETWEEN 0 AND 2147483647),
            is_outgoing INTEGER NOT NULL,
            text BLOB NOT NULL,
            time INTEGER NOT NULL,
            status INTEGER NOT NULL CHECK (status BETWEEN 0 AND 6),
            is_unread INTEGER NOT NULL,
            UNIQUE (contact, id, is_outgoing)
        ) STRICT;
        CREATE INDEX message_order ON message (contact, number);
        CREATE INDEX message_waiting ON message (number) WHERE status = 0;
        CREATE INDEX message_unread ON message (contact, number) WHERE is_unread = 1;
        """,
        // What another's text began with on the air; NULL where it is not known.
        "ALTER TABLE message ADD COLUMN nonce BLOB;",
        // Whether a contact's link is encrypted for its number; those of versions before are not.
        "ALTER TABLE contact ADD COLUMN is_bound INTEGER NOT NULL DEFAULT 0;",
    ]
}
