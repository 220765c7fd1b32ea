internal import BLESQLite
internal import Glibc

extension StoreError {
    /// What SQLite says, in words for people.
    init(_ error: DatabaseError, during attempt: String, at path: String, of kind: String) {
        let (code, reason) = Self.reason(for: error, kind)
        self.init(code, "Cannot \(attempt) (\(path)): \(reason)", underlying: error)
    }

    private static func reason(for error: DatabaseError, _ kind: String) -> (Code, String) {
        if error.systemError == ENOSPC || error.systemError == EDQUOT { return noRoom }
        switch error.code.primary {
        case .full:
            return noRoom
        case .busy:
            return (.inUse, "another program has the file open")
        case .corrupt:
            return (.damaged, "the file is damaged; it is not written to any more")
        case .noDatabase:
            return (.damaged, "the file is damaged, or is no \(kind) at all")
        case .readOnly, .cannotOpen:
            let system = error.systemError == 0 ? "" : ": \(systemMessage(error.systemError))"
            return (.notPermitted, "the file cannot be written\(system)")
        case .inputOrOutput where error.systemError != 0:
            return (.failed, "the disk failed: \(systemMessage(error.systemError))")
        default:
            return (.failed, error.message)
        }
    }

    private static let noRoom = (
        Code.full, "there is no room: the disk is full, or the store as large as it may become"
    )
}

extension StoreError.Code {
    /// What an `errno` comes to.
    init(systemError code: Int32) {
        switch code {
        case EACCES, EPERM, EROFS, ELOOP: self = .notPermitted
        case ENOSPC, EDQUOT: self = .full
        case ENOTDIR, ENAMETOOLONG: self = .invalid
        default: self = .failed
        }
    }
}
