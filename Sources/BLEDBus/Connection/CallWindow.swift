/// Limits how many calls are sent without having been replied to.
///
/// A bus allows each connection 128 such calls, and refuses more. Further calls wait here, in order. A
/// call that was cancelled or timed out still counts, as the bus still waits for its reply. At most
/// ``maximumWaitingCount`` calls wait; more fail.
///
/// A peer that never replies to some calls takes their places for good: bluetoothd does so to a request whose device could not
/// be paired. Those count as lost once their time is over, and the same peer has replied to a later one; one that only hangs
/// replies to all of them, when it goes on.
struct CallWindow {
    private static let size = 100

    /// How many calls may wait, those included that were cancelled or timed out meanwhile.
    static let maximumWaitingCount = 4096

    /// How many lost calls leave so few places that nothing goes on soon.
    static let maximumLostCount = 95

    private var unanswered = 0
    private var waiting: [(serial: UInt32, message: Message)] = []
    /// Whom the calls were meant for that have no reply though their time is over.
    private var expired: [UInt32: String] = [:]
    private var lost: Set<UInt32> = []

    /// Whether calls have no reply though their time is over.
    var hasExpired: Bool { !expired.isEmpty }

    /// How many calls keep their places, and will not be replied to.
    var lostCount: Int { lost.count }

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

    /// Whether a call has not been sent.
    func isWaiting(_ serial: UInt32) -> Bool { waiting.contains { $0.serial == serial } }

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

    /// The time of calls is over.
    mutating func didExpire(_ calls: [(serial: UInt32, destination: String)]) {
        // Those that wait have no place.
        let waiting = Set(waiting.lazy.map(\.serial))
        for call in calls where !waiting.contains(call.serial) {
            expired[call.serial] = call.destination
        }
    }

    /// A call was replied to.
    ///
    /// - Parameters:
    ///   - serial: which.
    ///   - destination: whom it was meant for; `nil` when that is not known any more.
    mutating func didReply(to serial: UInt32, by destination: String?) {
        expired[serial] = nil
        lost.remove(serial)
        for (earlier, target) in expired where earlier < serial && target == destination {
            lost.insert(earlier)
        }
    }
}
