package import BLESQLite

/// A store's database and its lock, as long as it is open.
package final class OpenStore {
    private let database: Database
    private let lock: StoreLock
    private let file: StoreFile
    /// Why nothing is written any more.
    private var damage: StoreError?

    /// Opens a store's file, and brings it to the newest version.
    ///
    /// What it does not take stays as it was.
    ///
    /// - Parameters:
    ///   - file: where it is.
    ///   - schema: what is in it.
    ///   - maximumByteCount: how large it may become.
    /// - Throws: all codes of ``StoreError`` but ``StoreError/Code/closed``.
    package init(
        _ file: StoreFile,
        _ schema: StoreSchema,
        maximumByteCount: Int
    ) throws(StoreError) {
        try file.create()
        lock = try file.lock()
        self.file = file
        let hadLog = file.hasLog
        do {
            database = try Database(path: file.path)
        } catch {
            throw StoreError(error, during: "open the \(file.kind)", at: file.path, of: file.kind)
        }
        do {
            try Self.check(database, file, schema)
            try Self.prepare(database, schema, maximumByteCount: maximumByteCount)
        } catch {
            database.close()
            if !hadLog { file.removeEmptyLog() }
            throw Self.typed(error, file)
        }
        try file.restrict()
    }

    private static func typed(_ error: any Error, _ file: StoreFile) -> StoreError {
        if let error = error as? DatabaseError {
            return StoreError(error, during: "open the \(file.kind)", at: file.path, of: file.kind)
        }
        return error as? StoreError
            ?? StoreError(.failed, "Cannot open the \(file.kind) \(file.path): \(error)")
    }

    /// Writes what is in the log into the database, and closes both.
    package func close() {
        database.close()
    }

    /// Reads from the database.
    ///
    /// - Parameters:
    ///   - attempt: what is tried, for errors: "read the profile".
    ///   - body: reads.
    /// - Returns: what that returns.
    /// - Throws: ``StoreError`` for what SQLite says; else what the function throws.
    package func read<Output>(
        _ attempt: String,
        _ body: (Database) throws -> Output
    ) throws -> Output {
        do {
            return try body(database)
        } catch let error as DatabaseError {
            let error = StoreError(error, during: attempt, at: file.path, of: file.kind)
            if error.code == .damaged { stopWriting(because: error) }
            throw error
        }
    }

    /// Changes the database: all that the function does, or nothing.
    ///
    /// - Parameters:
    ///   - attempt: what is tried, for errors: "add the message".
    ///   - body: changes it.
    /// - Returns: what that returns.
    /// - Throws: ``StoreError`` for what SQLite says; else what the function throws.
    package func write<Output>(
        _ attempt: String,
        _ body: (Database) throws -> Output
    ) throws -> Output {
        if let damage { throw damage }
        return try read(attempt) { database in
            try database.run("BEGIN IMMEDIATE")
            do {
                let output = try body(database)
                try database.run("COMMIT")
                return output
            } catch {
                // SQLite has done it itself after some failures; what failed first is what is told.
                if !database.isAutocommitting { _ = Result { try database.run("ROLLBACK") } }
                throw error
            }
        }
    }

    private func stopWriting(because error: StoreError) {
        damage = error
        // Should this fail, the log goes into the file when that is closed, as it would have anyway.
        _ = Result { try database.setTidiesOnClose(false) }
    }

    /// Looks at the file without changing it.
    private static func check(
        _ database: Database,
        _ file: StoreFile,
        _ schema: StoreSchema
    ) throws {
        // Without memory that is shared with other processes, and with a lock that keeps them out.
        try database.run("PRAGMA locking_mode = EXCLUSIVE")
        let tableCount = try database.integer("SELECT count(*) FROM sqlite_schema")
        let version = try database.integer("PRAGMA user_version")
        let isOurs = try database.integer("PRAGMA application_id") == schema.applicationID
        guard isOurs || (tableCount == 0 && version == 0) else {
            throw StoreError(
                .notAStore,
                "Cannot open the \(file.kind) \(file.path): it is another program's database"
            )
        }
        guard version >= 0 else {
            throw DatabaseError(.corrupt, "format \(version)", attempt: "reading the format")
        }
        guard version <= schema.migrations.count else {
            throw StoreError(
                .newer,
                "Cannot open the \(file.kind) \(file.path): a newer version of this program wrote it "
                    + "(format \(version), this one knows \(schema.migrations.count)). It was not changed."
            )
        }
    }

    private static func prepare(
        _ database: Database,
        _ schema: StoreSchema,
        maximumByteCount: Int
    ) throws(DatabaseError) {
        try database.runScript(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA journal_size_limit = 4194304;
            PRAGMA foreign_keys = ON;
            PRAGMA secure_delete = ON;
            PRAGMA cell_size_check = ON;
            PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = -8000;
            """
        )
        let pageByteCount = try database.integer("PRAGMA page_size")
        try database.run(
            "PRAGMA max_page_count = \(max(1, Int64(maximumByteCount) / max(1, pageByteCount)))"
        )
        let version = Int(try database.integer("PRAGMA user_version"))
        try schema.migrate(database, from: version)
        try schema.whenOpened(database)
        try database.setTidiesOnClose(true)
    }
}
