/// How a value is sent.
enum WriteProcedure {
    /// The server replies.
    case request
    /// The server replies with each piece, which is compared before all are written: reliable.
    case requestInPieces
    /// Nobody replies.
    case command

    /// What a client's word means, and what is done without one.
    ///
    /// - Returns: `nil` for another word, or for what can't be written at all.
    init?(type: String?, _ flags: CharacteristicFlags) {
        switch type?.lowercased() {
        case "request": self = .request
        case "reliable": self = .requestInPieces
        case "command": self = .command
        case nil where flags.hasReliableWrite: self = .requestInPieces
        case nil where flags.hasWrite: self = .request
        case nil where flags.hasWriteWithoutResponse: self = .command
        default: return nil
        }
    }
}
