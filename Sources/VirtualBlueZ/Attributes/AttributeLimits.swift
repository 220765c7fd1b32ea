/// How long what travels between two daemons may be.
struct AttributeLimits {
    /// The longest that can be negotiated, and what two daemons negotiate.
    static let maximumMTU = 517

    /// The MTUs that a link can have.
    static let mtus = 23...maximumMTU

    /// The longest value that is read or notified whole; what is longer is cut.
    static let value = 512

    let mtu: Int
    private let longestWrite: Int

    /// The longest request that arrives in several pieces.
    let requestInPieces: Int

    init(mtu: Int, _ behavior: Behavior) {
        self.mtu = mtu
        longestWrite = behavior.longestWrite
        requestInPieces = behavior.longestWriteInPieces
    }

    /// The longest command that is sent at all, in one piece.
    var command: Int { mtu - 3 }

    /// The longest command that arrives; a longer one is lost.
    var arrivingCommand: Int { min(command, longestWrite) }

    /// The longest request that arrives, in one piece or in several.
    var request: Int { max(arrivingCommand, requestInPieces) }

    /// What is cut off a notification that is longer: it travels as one of several.
    var notification: Int { min(mtu - 5, Self.value) }

    /// What is cut off an indication that is longer.
    var indication: Int { min(mtu - 3, Self.value) }

    /// How much of a value one response to a read has room for.
    var readInOnePiece: Int { mtu - 1 }
}
