internal import BLESQLite
internal import BLEStorage

/// What the tables look like, and how those of earlier versions become it.
enum Schema {
    /// Says that a database is a chat store's: "chat" in ASCII.
    static let applicationID: Int64 = 0x6368_6174

    /// What makes each version of the version before; the first one of nothing.
    ///
    /// One that has been released is never changed.
    static let migrations = [
        """
        CREATE TABLE profile (
            number INTEGER PRIMARY KEY CHECK (number = 1),
            name TEXT NOT NULL,
            identity BLOB NOT NULL CHECK (length(identity) = 32)
        ) STRICT;
        CREATE TABLE friend (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            key BLOB UNIQUE CHECK (length(key) = 32),
            address TEXT UNIQUE,
            told_name TEXT NOT NULL,
            given_name TEXT,
            state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 3),
            is_verified INTEGER NOT NULL DEFAULT 0,
            added INTEGER NOT NULL,
            predecessor INTEGER REFERENCES friend ON DELETE SET NULL,
            CHECK ((key IS NULL) <> (address IS NULL))
        ) STRICT;
        CREATE INDEX friend_predecessor ON friend (predecessor) WHERE predecessor IS NOT NULL;
        CREATE TABLE message (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            friend INTEGER NOT NULL REFERENCES friend,
            id BLOB NOT NULL CHECK (length(id) = 16),
            is_outgoing INTEGER NOT NULL,
            text TEXT NOT NULL,
            file_name TEXT,
            file_size INTEGER,
            sent INTEGER NOT NULL,
            received INTEGER,
            state INTEGER CHECK (state BETWEEN 0 AND 5),
            reason TEXT,
            is_unread INTEGER NOT NULL,
            edited INTEGER,
            deleted INTEGER,
            UNIQUE (friend, id),
            CHECK ((state IS NULL) = (is_outgoing = 0))
        ) STRICT;
        CREATE INDEX message_order ON message (friend, number);
        CREATE INDEX message_queue ON message (friend, number)
            WHERE state < 2 AND deleted IS NULL;
        CREATE INDEX message_unread ON message (friend, number) WHERE is_unread = 1;
        CREATE TABLE file (
            message INTEGER PRIMARY KEY REFERENCES message ON DELETE CASCADE,
            content BLOB NOT NULL
        ) STRICT;
        CREATE TABLE earlier_text (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            message INTEGER NOT NULL REFERENCES message ON DELETE CASCADE,
            text TEXT NOT NULL
        ) STRICT;
        CREATE INDEX earlier_text_order ON earlier_text (message, number);
        CREATE VIRTUAL TABLE message_text USING fts5(
            text, content = 'message', content_rowid = 'number',
            tokenize = 'unicode61 remove_diacritics 2'
        );
        CREATE TRIGGER message_added AFTER INSERT ON message BEGIN
            INSERT INTO message_text (rowid, text) VALUES (new.number, new.text);
        END;
        CREATE TRIGGER message_removed AFTER DELETE ON message BEGIN
            INSERT INTO message_text (message_text, rowid, text)
                VALUES ('delete', old.number, old.text);
        END;
        CREATE TRIGGER message_edited AFTER UPDATE OF text ON message BEGIN
            INSERT INTO message_text (message_text, rowid, text)
                VALUES ('delete', old.number, old.text);
            INSERT INTO message_text (rowid, text) VALUES (new.number, new.text);
        END;
        """,
        // Of what an earlier version has sent, nobody knows what has left.
        """
        ALTER TABLE message ADD COLUMN may_have_left INTEGER NOT NULL DEFAULT 0;
        UPDATE message SET may_have_left = 1
        WHERE is_outgoing = 1 AND friend IN (SELECT number FROM friend WHERE key IS NOT NULL);
        """,
    ]

    /// The newest version of a chat store, or another for tests.
    static func chatStore(_ migrations: [String]) -> StoreSchema {
        StoreSchema(
            applicationID: applicationID,
            migrations: migrations,
            whenOpened: requeue
        )
    }

    /// What was on its way waits again, as nobody sends it any more; what was for an original fails, as that would show twice
    /// what has arrived.
    private static func requeue(in database: Database) throws(DatabaseError) {
        do {
            try database.run(
                """
                UPDATE message SET state = 5, reason = ?
                WHERE state < 2 AND deleted IS NULL AND state = 1
                    AND friend IN (SELECT number FROM friend WHERE address IS NOT NULL)
                """,
                [.text(ChatStore.unknownArrival)]
            )
            try database.run(
                "UPDATE message SET state = 0 WHERE state < 2 AND deleted IS NULL AND state = 1"
            )
        } catch let error where error.code.primary == .full {
            // It stays on its way, which is in the queue, too; what is there can be read.
        }
    }
}
