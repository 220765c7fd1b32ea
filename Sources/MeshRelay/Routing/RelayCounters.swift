/// What has become of packets since a node began.
///
/// What was received is as much as what was delivered, relayed and dropped.
public struct RelayCounters: Hashable, Sendable {
    /// How many have come from neighbours.
    public internal(set) var received = 0
    /// How many of them were meant for this node.
    public internal(set) var delivered = 0
    /// How many of those meant nothing to it, and why.
    public internal(set) var ignored: [IgnoreReason: Int] = [:]
    /// How many of those received were sent on, or kept for neighbours who come later.
    public internal(set) var relayed = 0
    /// How many of those received were dropped, and why.
    public internal(set) var dropped: [DropReason: Int] = [:]
    /// How many this node has made.
    public internal(set) var originated = 0
    /// How many that were kept were sent to neighbours who came later.
    public internal(set) var replayed = 0
    /// How many of all that were to be sent were not, to one neighbour or more, and why; each counts once for a reason.
    ///
    /// Who missed one may get it from another neighbour, or when it is sent again.
    public internal(set) var unsent: [UnsentReason: Int] = [:]

    /// Why a packet is dropped.
    public enum DropReason: String, Hashable, Sendable, CaseIterable {
        /// It has come before.
        case known
        /// It is no packet, or a receipt that is none.
        case malformed
        /// Its neighbour sends too many.
        case neighbourRate
        /// There are too many of its sender by this neighbour.
        case senderRate
        /// Nobody is there to whom it could be sent on, and so many of this node's own are kept that there is no room for it.
        case noRoom
    }

    /// Why a packet is not sent to a neighbour.
    public enum UnsentReason: String, Hashable, Sendable, CaseIterable {
        /// It does not fit a notification to that neighbour; where all are notified at once it was cut there.
        case tooLong
        /// Too many waited to be sent, and it was the oldest.
        case pushedOut
        /// The radio could not send it, or the neighbour took nothing.
        case failed
    }

    /// Why a packet for this node means nothing to it.
    public enum IgnoreReason: String, Hashable, Sendable, CaseIterable {
        /// Its sender is no contact.
        case stranger
        /// It was not encrypted for this user by its sender. No receipt is sent, as nobody has read it.
        case notDecrypted
        /// Its text has come under another number, or is this user's own: somebody sends it anew. No receipt is sent.
        case copied
        /// It is about nothing that this user has sent to its sender, or says what is known.
        case unexpectedReceipt
        /// It says where somebody is.
        case position
    }
}
