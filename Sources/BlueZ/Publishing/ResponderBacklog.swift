internal import BLE
internal import BLEDBus
internal import BLELocking

/// What waits for a responder, counted, and the calls that have no reply yet, the oldest first.
///
/// A responder that hangs, or peers that ask faster than it replies, fill it up; then calls are refused
/// at once, and the rest of the room is left to events, as who came and went must not get lost.
final class ResponderBacklog: Sendable {
    /// How many calls may wait, and how many may have no reply.
    static let maximumCallCount = 1024

    /// How many events may wait.
    static let maximumEventCount = 1024

    private struct Unanswered {
        let deadline: Duration
        let central: PeerID
        let call: MethodCall
        let losesRefusal: Bool
        /// Its time is over; it is being replied to for the responder.
        var isExpired = false
    }

    private struct State {
        var callCount = 0
        var eventCount = 0
        var unanswered: [Unanswered] = []
        var lost = LostWrites()
        /// The task that calls the responder.
        var task: Int?
        /// Who waits until no call of a central, or of any, is without a reply.
        var promises: [(central: PeerID?, promise: Promise<Void>)] = []

        func isWaiting(_ central: PeerID?) -> Bool {
            unanswered.contains { central == nil || $0.central == central }
        }
    }

    private let state = Locked(State())

    /// The current task is the one that calls the responder.
    func callsResponderHere() {
        let task = withUnsafeCurrentTask { $0?.hashValue }
        state.withLock { $0.task = task }
    }

    /// Whether the current task is the one that calls the responder.
    var isResponderCalledHere: Bool {
        guard let task = withUnsafeCurrentTask(body: { $0?.hashValue }) else { return false }
        return state.withLock { $0.task == task }
    }

    /// Takes a call in.
    ///
    /// - Returns: whether there is room.
    func add(
        _ call: MethodCall,
        of central: PeerID,
        until deadline: Duration,
        losesRefusal: Bool = false
    ) -> Bool {
        state.withLock { state in
            guard state.callCount < Self.maximumCallCount,
                state.unanswered.count < Self.maximumCallCount
            else { return false }
            state.callCount += 1
            state.unanswered.append(
                Unanswered(
                    deadline: deadline,
                    central: central,
                    call: call,
                    losesRefusal: losesRefusal
                )
            )
            return true
        }
    }

    /// A write was lost; see `LostWrites`.
    func lose(_ id: AttributeID, from central: PeerID) -> Int? {
        state.withLock { $0.lost.lose(id, from: central) }
    }

    /// A write that could have been lost was taken in.
    func didAccept(_ id: AttributeID, from central: PeerID) {
        state.withLock { $0.lost.didAccept(id, from: central) }
    }

    /// The turn of lost writes has come.
    func takeLost(_ gap: Int) -> PublicationEvent? {
        state.withLock { $0.lost.take(gap) }
    }

    /// A call's turn has come.
    ///
    /// - Returns: whether it still has no reply, and is not being replied to for the responder.
    func begin(_ call: MethodCall) -> Bool {
        state.withLock { state in
            state.callCount -= 1
            return state.unanswered.contains { $0.call === call && !$0.isExpired }
        }
    }

    /// A call was replied to.
    ///
    /// - Returns: whether it was without a reply until now.
    @discardableResult
    func end(_ call: MethodCall) -> Bool {
        let (wasUnanswered, kept) = state.withLock { state in
            let count = state.unanswered.count
            state.unanswered.removeAll { $0.call === call }
            let promises = state.promises
            state.promises = promises.filter { state.isWaiting($0.central) }
            let kept = promises.filter { !state.isWaiting($0.central) }
            return (state.unanswered.count < count, kept)
        }
        for (_, promise) in kept { promise.fulfil() }
        return wasUnanswered
    }

    /// Kept when no call of a central is without a reply; with `nil`, of any central.
    func promiseReplies(to central: PeerID?) -> Promise<Void> {
        let promise = Promise<Void>()
        let isWaiting = state.withLock { state in
            guard state.isWaiting(central) else { return false }
            state.promises.append((central, promise))
            return true
        }
        if !isWaiting { promise.fulfil() }
        return promise
    }

    /// Nobody waits any longer.
    func failPromises(_ error: any Error) {
        let promises = state.withLock { state in
            let promises = state.promises
            state.promises = []
            return promises
        }
        for (_, promise) in promises { promise.fail(error) }
    }

    /// Takes an event in.
    ///
    /// - Returns: whether there is room.
    func addEvent() -> Bool {
        state.withLock { state in
            guard state.eventCount < Self.maximumEventCount else { return false }
            state.eventCount += 1
            return true
        }
    }

    /// An event's turn has come.
    func beginEvent() {
        state.withLock { $0.eventCount -= 1 }
    }

    /// When the oldest call's time is over; `nil` when none waits.
    var nextDeadline: Duration? {
        state.withLock { $0.unanswered.first?.deadline }
    }

    /// The calls whose time is over: each is to be replied to for the responder, then ended.
    func expire(at now: Duration) -> [(call: MethodCall, losesRefusal: Bool)] {
        state.withLock { state in
            let count = state.unanswered.prefix { $0.deadline <= now }.count
            for index in 0..<count { state.unanswered[index].isExpired = true }
            return state.unanswered.prefix(count).map { ($0.call, $0.losesRefusal) }
        }
    }
}
