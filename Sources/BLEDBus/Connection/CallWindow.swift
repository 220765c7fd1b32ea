/// Limits how many calls are sent without having been replied to.
///
/// A bus allows each connection 128 such calls, and refuses more. Further calls wait here, in order. A
/// call that was cancelled or timed out still counts, as the bus still waits for its reply. At most
/// ``maximumWaitingCount`` calls wait; more fail.
struct CallWindow {
    private static let size = 100

    /// How many calls may wait, those included that were cancelled or timed out meanwhile.
    static let maximumWaitingCount = 4096

    private var unanswered = 0
    private var waiting: [(serial: UInt32, message: Message)] = []

    /// Returns whether a call may be sent now; otherwise it is queued.
    ///
    /// - Throws: ``BusError/Code/overflow`` when the queue is full.
    mutating func admits(_ message: Message, serial: UInt32) throws(BusError) -> Bool {
        guard unanswered < Self.size else {
            guard waiting.count < Self.maximumWaitingCount else {
                throw BusError(
                    .overflow,
                    "calling \(message.member ?? "") failed: \(waiting.count) calls are waiting to be "
                        + "sent"
                )
            }
            waiting.append((serial, message))
            return false
        }
        unanswered += 1
        return true
    }

    /// Counts a reply.
    ///
    /// - Parameter isWanted: whether the reply to a call is still awaited.
    /// - Returns: the next call to send, if one is waiting.
    mutating func replied(
        where isWanted: (UInt32) -> Bool
    ) -> (serial: UInt32, message: Message)? {
        unanswered = max(unanswered - 1, 0)
        guard !waiting.isEmpty else { return nil }
        let next = waiting.firstIndex { isWanted($0.serial) }
        defer { waiting.removeFirst(next.map { $0 + 1 } ?? waiting.count) }
        guard let next else { return nil }
        unanswered += 1
        return waiting[next]
    }
}
