import Glibc

/// Who runs this program.
enum StandardUser {
    /// The name of the account; empty when it has none.
    static var name: String { getenv("USER").map { String(cString: $0) } ?? "" }
}
