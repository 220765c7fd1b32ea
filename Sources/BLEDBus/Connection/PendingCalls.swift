/// The calls whose replies are awaited, by serial, with their deadlines.
struct PendingCalls {
    /// Called once, with the reply or with the reason for having none.
    typealias Completion = (Result<Message, any Error>) -> Void

    /// The called method, for errors.
    struct Target: CustomStringConvertible {
        let member: String
        let path: String
        let destination: String

        var description: String { "\(member) on \(path) of \(destination)" }
    }

    private struct Call {
        let deadline: ContinuousClock.Instant
        let target: Target
        /// `nil` once nobody waits for the reply.
        var completion: Completion?
    }

    private var calls: [UInt32: Call] = [:]

    /// No deadline is earlier than this; the call that set it may have been removed.
    private(set) var nextDeadline: ContinuousClock.Instant?

    var count: Int { calls.count }

    /// Whether a reply is awaited.
    func contains(_ serial: UInt32) -> Bool { calls[serial]?.completion != nil }

    /// What was called; `nil` when that was replied to, or its time is over.
    func target(of serial: UInt32) -> Target? { calls[serial]?.target }

    /// Adds a call.
    mutating func add(
        _ serial: UInt32,
        until deadline: ContinuousClock.Instant,
        of target: Target,
        _ completion: @escaping Completion
    ) {
        calls[serial] = Call(
            deadline: deadline,
            target: target,
            completion: completion
        )
        nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
    }

    /// Removes a call; `nil` when its reply is not awaited.
    mutating func remove(_ serial: UInt32) -> Completion? {
        calls.removeValue(forKey: serial)?.completion
    }

    /// Nobody waits for a reply any longer, but its time goes on.
    ///
    /// - Returns: the completion; `nil` when the reply is not awaited.
    mutating func abandon(_ serial: UInt32) -> Completion? {
        defer { calls[serial]?.completion = nil }
        return calls[serial]?.completion
    }

    /// A call whose deadline has passed.
    struct Expired {
        let serial: UInt32
        let target: Target
        /// `nil` when nobody waits for the reply.
        let completion: Completion?

        var error: BusError { BusError(.timedOut, "\(target): no reply in time") }
    }

    /// Removes the calls whose deadlines have passed, in the order of the calls.
    mutating func removeExpired(at now: ContinuousClock.Instant) -> [Expired] {
        guard let nextDeadline, nextDeadline <= now else { return [] }
        let expired = calls.filter { $0.value.deadline <= now }
        for serial in expired.keys { calls[serial] = nil }
        self.nextDeadline = calls.values.map(\.deadline).min()
        return expired.sorted { $0.key < $1.key }.map { serial, call in
            Expired(serial: serial, target: call.target, completion: call.completion)
        }
    }

    /// Removes all calls.
    ///
    /// - Returns: the completions of those whose replies are awaited, in the order of the calls.
    mutating func removeAll() -> [Completion] {
        defer {
            calls = [:]
            nextDeadline = nil
        }
        return calls.sorted { $0.key < $1.key }.compactMap(\.value.completion)
    }
}
