public import BLEStorage
public import BlueChat

/// A message that the store is to keep.
public struct NewMessage: Hashable, Sendable {
    /// A file that a message carries.
    public struct File: Hashable, Sendable {
        /// The file's name, up to 255 bytes.
        public let name: String
        /// Its bytes, up to 1 MiB.
        public let content: [UInt8]

        /// Creates a file.
        ///
        /// - Parameters:
        ///   - name: the file's name.
        ///   - content: its bytes.
        public init(name: String, content: [UInt8]) {
            self.name = name
            self.content = content
        }
    }

    /// Which message of the conversation.
    public let id: MessageID
    /// The text, up to 64 KiB; may be empty.
    public let text: String
    /// The file that it carries.
    public let file: File?
    /// When its author sent it, by the author's clock.
    public let sent: WallTime

    /// Creates a message.
    ///
    /// - Parameters:
    ///   - id: which message of the conversation; one at random, unless its author chose another.
    ///   - text: the text, up to 64 KiB.
    ///   - file: the file that it carries.
    ///   - sent: when its author sent it.
    public init(
        id: MessageID = MessageID(),
        text: String,
        file: File? = nil,
        sent: WallTime = .now
    ) {
        self.id = id
        self.text = text
        self.file = file
        self.sent = sent
    }
}
