/// How far a message has come; the numbers are those of the app.
public enum RelayMessageStatus: Int, Hashable, Sendable, CaseIterable {
    /// An own one was sent, and has not been acknowledged.
    case sent = 0
    /// Its receiver has it.
    case delivered = 1
    /// Its receiver has read it.
    case read = 2
    /// Another's was received.
    case received = 3
    /// Its sender was told that it has been read.
    case receiptSent = 4
    /// What became of it is not known.
    case unknown = 5
    /// An own one was not acknowledged for a day, or did not fit, and is not sent any more.
    case failed = 6

    /// Its name, such as `delivered`.
    public var name: String { "\(self)" }
}
