/// The calls whose replies are awaited: serial → who waits, and for how long at most.
struct PendingCalls {
    /// Gets a reply, or the reason why none came; called once.
    typealias Completion = (Result<Message, any Error>) -> Void

    /// What was called, for errors.
    struct Target: CustomStringConvertible {
        let member: String
        let path: String
        let destination: String

        var description: String { "\(member) on \(path) of \(destination)" }
    }

    private struct Call {
        let deadline: ContinuousClock.Instant
        let target: Target
        let completion: Completion
    }

    private var calls: [UInt32: Call] = [:]

    /// No call's time is over before this; it may have been set by a call that is gone since.
    private(set) var nextDeadline: ContinuousClock.Instant?

    var count: Int { calls.count }

    /// Whether somebody waits for a reply.
    func contains(_ serial: UInt32) -> Bool { calls[serial] != nil }

    /// Begins to wait.
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

    /// Takes out who waits for a reply; `nil` when nobody does, or no longer.
    mutating func remove(_ serial: UInt32) -> Completion? {
        calls.removeValue(forKey: serial)?.completion
    }

    /// Takes out all whose time is over, with what to tell them.
    mutating func removeExpired(
        at now: ContinuousClock.Instant
    ) -> [(completion: Completion, error: BusError)] {
        guard let nextDeadline, nextDeadline <= now else { return [] }
        let expired = calls.filter { $0.value.deadline <= now }
        for serial in expired.keys { calls[serial] = nil }
        self.nextDeadline = calls.values.map(\.deadline).min()
        return expired.sorted { $0.key < $1.key }.map { _, call in
            (call.completion, BusError(.timedOut, "\(call.target): no reply in time"))
        }
    }

    /// Takes out all, in the order in which they were sent.
    mutating func removeAll() -> [Completion] {
        defer {
            calls = [:]
            nextDeadline = nil
        }
        return calls.sorted { $0.key < $1.key }.map(\.value.completion)
    }
}
