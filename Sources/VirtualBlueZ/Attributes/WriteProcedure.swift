/// How a value is sent.
enum WriteProcedure {
    /// The server replies; a reliable write is one too.
    case request
    /// Nobody replies.
    case command

    /// What a client's word means, and what is done without one.
    ///
    /// - Returns: `nil` for another word, or for what can't be written at all.
    init?(type: String?, _ flags: CharacteristicFlags) {
        switch type?.lowercased() {
        case "request", "reliable": self = .request
        case "command": self = .command
        case nil where flags.hasReliableWrite || flags.hasWrite: self = .request
        case nil where flags.hasWriteWithoutResponse: self = .command
        default: return nil
        }
    }
}
