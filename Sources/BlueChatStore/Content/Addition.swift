/// What came of a message that was to be added.
public enum Addition: Hashable, Sendable {
    /// It was added.
    case added(StoredMessage)
    /// The conversation has a message of this identifier already; it was left as it is.
    case alreadyThere(StoredMessage)

    /// The message, as the store has it.
    public var message: StoredMessage {
        switch self {
        case .added(let message), .alreadyThere(let message): message
        }
    }
}
