/// How many calls may be without a reply at once.
///
/// A bus lets each connection wait for 128 replies and refuses the calls beyond. What is beyond
/// this window waits here instead, in order. A call that was given up still counts: the bus waits
/// for its reply all the same. A bus that never replies does not let it grow without end: calls
/// beyond ``maximumWaitingCount`` fail.
struct CallWindow {
    private static let size = 100

    /// How many calls may wait here, those that were given up meanwhile included.
    static let maximumWaitingCount = 4096

    private var unanswered = 0
    private var waiting: [(serial: UInt32, message: Message)] = []

    /// Whether a call may be sent now; else it is kept for later.
    ///
    /// - Throws: ``BusError/Code/overflow`` when it can't be kept.
    mutating func admits(_ message: Message, serial: UInt32) throws(BusError) -> Bool {
        guard unanswered < Self.size else {
            guard waiting.count < Self.maximumWaitingCount else {
                throw BusError(
                    .overflow,
                    "calling \(message.member ?? ""): \(waiting.count) calls wait for those before "
                        + "them"
                )
            }
            waiting.append((serial, message))
            return false
        }
        unanswered += 1
        return true
    }

    /// Takes note of a reply, to a call or to one that was given up.
    ///
    /// - Parameter isWanted: whether somebody still waits for a call's reply.
    /// - Returns: the call to be sent next, if one has been waiting.
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
