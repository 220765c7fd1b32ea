internal import CBLESQLite

/// One statement, with its parameters; it is finalized with this value.
package struct Statement: ~Copyable {
    private let handle: OpaquePointer?

    private init(_ handle: OpaquePointer?) {
        self.handle = handle
    }

    /// Prepares the first statement of a text.
    ///
    /// - Parameters:
    ///   - sql: the text.
    ///   - values: the parameters, in order.
    ///   - database: libsqlite3's handle.
    /// - Returns: the statement.
    /// - Throws: what SQLite says about it.
    static func prepare(
        _ sql: String,
        _ values: [Value],
        for database: OpaquePointer?
    ) throws(DatabaseError) -> Statement {
        var handle: OpaquePointer?
        try check(sqlite3_prepare_v2(database, sql, -1, &handle, nil), of: database, during: sql)
        let statement = Statement(handle)
        for (index, value) in values.enumerated() {
            let code = bind(value, to: handle, at: Int32(index + 1))
            try check(code, of: database, during: sql)
        }
        return statement
    }

    deinit {
        sqlite3_finalize(handle)
    }

    private static func bind(_ value: Value, to handle: OpaquePointer?, at index: Int32) -> Int32 {
        switch value {
        case .null:
            return sqlite3_bind_null(handle, index)
        case .integer(let number):
            return sqlite3_bind_int64(handle, index, number)
        case .text(var text):
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    // An empty text may have no address, which would bind NULL.
                    guard let start = $0.baseAddress else {
                        return csqlite_bind_text(handle, index, "", 0)
                    }
                    return csqlite_bind_text(handle, index, start, UInt64($0.count))
                }
            }
        case .bytes(let bytes):
            guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
            return bytes.withUnsafeBytes {
                csqlite_bind_blob(handle, index, $0.baseAddress, UInt64($0.count))
            }
        }
    }

    /// Goes to the next row.
    ///
    /// - Returns: whether there is one.
    package func step() throws(DatabaseError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        let sql = sqlite3_sql(handle).map { String(cString: $0) }
        throw failure(code, of: sqlite3_db_handle(handle), during: sql ?? "a statement")
    }

    // MARK: - The row's columns, counted from 0

    package func isNull(at column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    /// An integer; 0 for NULL.
    package func integer(at column: Int32) -> Int64 {
        sqlite3_column_int64(handle, column)
    }

    /// A truth value; false for NULL.
    package func flag(at column: Int32) -> Bool { integer(at: column) != 0 }

    /// A text; what is no UTF-8 in it is replaced.
    package func text(at column: Int32) -> String {
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    package func bytes(at column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        let count = Int(sqlite3_column_bytes(handle, column))
        return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    package func optionalInteger(at column: Int32) -> Int64? {
        isNull(at: column) ? nil : integer(at: column)
    }

    package func optionalText(at column: Int32) -> String? {
        isNull(at: column) ? nil : text(at: column)
    }
}
