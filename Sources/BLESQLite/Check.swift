internal import CBLESQLite

/// Throws what a call of SQLite says, unless it succeeded.
func check(
    _ code: Int32,
    of database: OpaquePointer?,
    during attempt: @autoclosure () -> String
) throws(DatabaseError) {
    guard code != SQLITE_OK else { return }
    throw failure(code, of: database, during: attempt())
}

/// What a call of SQLite says about its failure.
func failure(_ code: Int32, of database: OpaquePointer?, during attempt: String) -> DatabaseError {
    let extended = sqlite3_extended_errcode(database)
    // A handle that was not made knows nothing of the call.
    let isKnown = database != nil && extended & 0xFF == code & 0xFF
    let message = isKnown ? sqlite3_errmsg(database) : sqlite3_errstr(code)
    return DatabaseError(
        ResultCode(rawValue: isKnown ? extended : code),
        message.map { String(cString: $0) } ?? "no message",
        systemError: isKnown ? sqlite3_system_errno(database) : 0,
        attempt: attempt
    )
}
