internal import CBLESQLite

/// One connection to a database file; not for several threads at once.
package final class Database {
    private var handle: OpaquePointer?

    /// Opens a file, which must be there.
    ///
    /// Closing it writes nothing unless ``setTidiesOnClose(_:)`` says so.
    package init(path: String) throws(DatabaseError) {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
        self.handle = handle
        try check(code, of: handle, during: "opening")
        try configure(SQLITE_DBCONFIG_DEFENSIVE, true)
        try configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        sqlite3_extended_result_codes(handle, 1)
    }

    deinit {
        close()
    }

    private func configure(_ option: Int32, _ isOn: Bool) throws(DatabaseError) {
        let code = csqlite_configure(handle, option, isOn ? 1 : 0)
        try check(code, of: handle, during: "sqlite3_db_config")
    }

    /// Whether the log is written into the database, and removed, when the file is closed; not so at
    /// first, so that a file which is refused stays as it was.
    package func setTidiesOnClose(_ tidies: Bool) throws(DatabaseError) {
        try configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !tidies)
    }

    /// Closes the file; a second time this does nothing.
    package func close() {
        sqlite3_close_v2(handle)
        handle = nil
    }

    /// Whether no transaction is open.
    package var isAutocommitting: Bool { sqlite3_get_autocommit(handle) != 0 }

    /// How many rows the last statement changed.
    package var changeCount: Int { Int(sqlite3_changes64(handle)) }

    /// The number of the row that was inserted last.
    package var lastInsertedNumber: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Prepares a statement.
    package func prepare(_ sql: String, _ values: [Value] = []) throws(DatabaseError) -> Statement {
        guard handle != nil else {
            throw DatabaseError(.failed, "the file has been closed", attempt: sql)
        }
        return try Statement.prepare(sql, values, for: handle)
    }

    /// Runs a statement, and drops its rows.
    package func run(_ sql: String, _ values: [Value] = []) throws(DatabaseError) {
        let statement = try prepare(sql, values)
        while try statement.step() {}
    }

    /// Runs the statements of a text, which have no parameters.
    package func runScript(_ sql: String) throws(DatabaseError) {
        guard handle != nil else {
            throw DatabaseError(.failed, "the file has been closed", attempt: sql)
        }
        try check(sqlite3_exec(handle, sql, nil, nil, nil), of: handle, during: sql)
    }

    /// Runs a statement, and reads its rows.
    package func rows<Row>(
        _ sql: String,
        _ values: [Value] = [],
        _ read: (borrowing Statement) throws(DatabaseError) -> Row
    ) throws(DatabaseError) -> [Row] {
        let statement = try prepare(sql, values)
        var rows: [Row] = []
        while try statement.step() { rows.append(try read(statement)) }
        return rows
    }

    /// Runs a statement, and reads its first row.
    package func row<Row>(
        _ sql: String,
        _ values: [Value] = [],
        _ read: (borrowing Statement) throws(DatabaseError) -> Row
    ) throws(DatabaseError) -> Row? {
        let statement = try prepare(sql, values)
        return try statement.step() ? try read(statement) : nil
    }

    /// Runs a statement, and reads the integer in its first column; 0 without a row.
    package func integer(
        _ sql: String,
        _ values: [Value] = []
    ) throws(DatabaseError) -> Int64 {
        let statement = try prepare(sql, values)
        return try statement.step() ? statement.integer(at: 0) : 0
    }
}
