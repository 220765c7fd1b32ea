/// A store as lines of JSON, each read when it is asked for; ``ChatStore/export(withFiles:)`` makes it.
///
/// The first line is the profile, without its private key; then come the friends, then the messages in the
/// order in which they came. Each line is an object with a member `type`:
///
/// | type | members |
/// |---|---|
/// | `profile` | `name` |
/// | `friend` | `friend`, `kind` (`key` or `address`), `toldName`, `givenName`, `state`, `isVerified`, `added`, `predecessor` |
/// | `message` | `id`, `friend`, `direction`, `text`, `sent`, `received`, `state`, `reason`, `isUnread`, `edited`, `deleted`, `fileName`, `fileSize`, `file` in base64 |
///
/// Times are milliseconds since 1970 began in UTC; what there is none of is left out. What is added or changed
/// meanwhile may be in it or not.
public struct ExportLines: AsyncSequence, Sendable {
    /// A line, without its end.
    public typealias Element = String

    let store: ChatStore
    let withFiles: Bool

    /// Reads the lines from the store, some messages at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private enum Position {
            case beginning
            case messages(after: Int64)
            case end
        }

        private let store: ChatStore
        private let withFiles: Bool
        private var position = Position.beginning
        /// What has been read, the last line first.
        private var lines: [String] = []

        init(_ store: ChatStore, withFiles: Bool) {
            self.store = store
            self.withFiles = withFiles
        }

        /// Reads the next line.
        ///
        /// - Returns: the line; `nil` after the last one.
        /// - Throws: ``ChatStoreError``.
        public mutating func next() async throws -> String? {
            while lines.isEmpty {
                switch position {
                case .beginning:
                    lines = try await store.linesOfPeople().reversed()
                    position = .messages(after: 0)
                case .messages(let number):
                    let batch = try await store.linesOfMessages(
                        after: number,
                        withFiles: withFiles
                    )
                    lines = batch.lines.reversed()
                    position = batch.last.map { .messages(after: $0) } ?? .end
                case .end:
                    return nil
                }
            }
            return lines.popLast()
        }
    }

    /// Begins to read.
    ///
    /// - Returns: an iterator of its own.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(store, withFiles: withFiles)
    }
}
