internal import BLE
internal import BLESession

/// The chat that is on.
struct ChatRecord: Sendable {
    let chat: Chat
    /// The link of the one who called; both ends have one when they called each other at once.
    var link: (any Link)?
    /// Whether the other end has called.
    var isCallee: Bool
    var linkMTUBytes = 23
    /// `nil` until the caller has written, where the system does not say it.
    var calleeMTUBytes: Int?
    /// Calls of `leave` that wait for the end.
    var ends = EndWaiters()
    /// Nothing is sent any more.
    var isLeaving = false
    /// Calls of `send` whose text has no outcome yet.
    var sending: [Int: Sending] = [:]
    var lastSending = 0
    /// The callee has asked for the end of the connection, which waits for these, until then.
    var farewell: Deadline?

    /// bluetoothd 5.66 refuses writes of more than 510 bytes, and over another bearer of more than 508.
    private static let maximumWriteByteCount = 508

    /// How many bytes a text may have.
    var maximumByteCount: Int {
        min((link == nil ? calleeMTUBytes ?? 23 : linkMTUBytes) - 3, Self.maximumWriteByteCount)
    }

    /// Whether a text that has too many bytes now may have few enough later.
    func mayFitLater(_ byteCount: Int) -> Bool {
        link == nil && calleeMTUBytes == nil && byteCount <= Self.maximumWriteByteCount
    }
}

/// A text that is being sent.
struct Sending: Sendable {
    let outcome: Promise<Void>
    /// Whether it may have left; an indication waits for those before it.
    var hasBegun: Bool
}
