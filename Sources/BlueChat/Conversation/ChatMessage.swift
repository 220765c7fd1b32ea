/// What one end of a conversation says to the other.
public struct ChatMessage: Hashable, Sendable, Identifiable {
    /// What it says.
    public enum Content: Hashable, Sendable {
        /// A text.
        case text(String)
        /// A file.
        case file(ChatFile)
        /// A message of the same author has another text.
        case edit(MessageID, text: String)
        /// A message of the same author is deleted.
        case deletion(MessageID)
    }

    /// How many bytes of UTF-8 a text has at most.
    public static let maximumTextByteCount = 65_536

    /// Which message this is.
    public let id: MessageID
    /// When it was written, by its author's clock: milliseconds since 1970 began, UTC.
    public let time: Int64
    /// What it says.
    public let content: Content

    /// Creates a message.
    ///
    /// - Parameters:
    ///   - content: a text of 1 to ``maximumTextByteCount`` bytes, or another content.
    ///   - time: milliseconds since 1970 began, UTC.
    ///   - id: a new one.
    /// - Throws: ``ChatError``: ``ChatError/Code/empty``, ``ChatError/Code/tooLong``.
    public init(
        _ content: Content,
        time: Int64,
        id: MessageID = MessageID()
    ) throws(ChatError) {
        switch content {
        case .text(let text), .edit(_, let text):
            guard !text.isEmpty else { throw ChatError(.empty, "an empty text is not sent") }
            guard text.utf8.count <= Self.maximumTextByteCount else {
                throw ChatError(
                    .tooLong,
                    "the text has \(text.utf8.count) bytes; \(Self.maximumTextByteCount) fit"
                )
            }
        case .file, .deletion:
            break
        }
        self.id = id
        self.time = time
        self.content = content
    }
}

/// A small file.
public struct ChatFile: Hashable, Sendable {
    /// How many bytes a file has at most.
    public static let maximumByteCount = 262_144
    /// How many bytes of UTF-8 a name has at most.
    public static let maximumNameByteCount = 255

    /// Its name, without folders.
    public let name: String
    /// What is in it.
    public let bytes: [UInt8]

    /// Creates a file.
    ///
    /// - Parameters:
    ///   - name: 1 to ``maximumNameByteCount`` bytes; not `.` or `..`, without `/` and control characters.
    ///   - bytes: at most ``maximumByteCount``.
    /// - Throws: ``ChatError``: ``ChatError/Code/invalidName``, ``ChatError/Code/tooLong``.
    public init(name: String, bytes: [UInt8]) throws(ChatError) {
        guard Self.isUsable(name) else {
            throw ChatError(.invalidName, "a file cannot be sent under the name '\(name)'")
        }
        guard bytes.count <= Self.maximumByteCount else {
            throw ChatError(
                .tooLong,
                "the file '\(name)' has \(bytes.count) bytes; \(Self.maximumByteCount) fit"
            )
        }
        self.name = name
        self.bytes = bytes
    }

    private static func isUsable(_ name: String) -> Bool {
        (1...maximumNameByteCount).contains(name.utf8.count) && name != "." && name != ".."
            && !name.unicodeScalars.contains {
                $0 == "/" || $0.properties.generalCategory == .control
            }
    }
}
