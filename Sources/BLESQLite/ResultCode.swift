internal import CBLESQLite

/// What a call of SQLite came to: its extended result code.
///
/// Source: https://www.sqlite.org/rescode.html.
package struct ResultCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    package static let failed = ResultCode(rawValue: SQLITE_ERROR)
    package static let busy = ResultCode(rawValue: SQLITE_BUSY)
    package static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
    package static let inputOrOutput = ResultCode(rawValue: SQLITE_IOERR)
    package static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
    package static let full = ResultCode(rawValue: SQLITE_FULL)
    package static let cannotOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
    package static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
    package static let noDatabase = ResultCode(rawValue: SQLITE_NOTADB)

    /// The code without its extension: what kind of failure it is.
    package var primary: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }
}
