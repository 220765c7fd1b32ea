internal import BLE
internal import DequeModule

/// A socket's stream: the session, and the calls of ``Socket/send(_:)`` whose bytes the other end does not have yet.
final class SocketStream {
    private struct Unconfirmed {
        let id: Int
        /// How many bytes the other end has then.
        let end: UInt64
        let deadline: Duration?
    }

    var session: StreamSession
    /// What encrypts, if that is wanted.
    private(set) var cipher: StreamCipher?
    /// Until when the other end has to show that it has the keys.
    private var proofLimit: Duration?
    /// Whether the other end has said hello.
    var isOpen = false
    /// Why it is over; `.some(nil)` when both ends have all, or when it was closed here.
    var end: SocketError??
    var isOver: Bool { end != nil }
    /// Until when the other end may end the connection, after it was told that the stream is over.
    var closingLimit: Duration?
    /// Calls of ``Socket/finish()`` that have not returned.
    private var finishing: [Promise<Void>] = []
    private var written: UInt64 = 0
    private var confirmed: UInt64 = 0
    private var unconfirmed: Deque<Unconfirmed> = []

    init(_ session: StreamSession, _ cipher: StreamCipher?) {
        self.session = session
        self.cipher = cipher
    }

    /// Whether it was asked to end this direction, which it does when all that waits is on its way.
    var isFinishing = false

    var deadline: Duration? {
        .earliest(
            session.deadline,
            closingLimit,
            proofLimit,
            unconfirmed.lazy.compactMap(\.deadline).min()
        )
    }

    /// Moves bytes of a queue into the session, as many as there is room for.
    ///
    /// - Parameters:
    ///   - queue: what waits.
    ///   - sends: the calls whose bytes they are.
    /// - Returns: the outcomes of those that do not wait for the other end.
    func fill(
        from queue: inout SendQueue,
        of sends: [Int: PendingSend]
    ) -> [SendQueue.Outcome] {
        guard !queue.isEmpty else { return [] }
        var taken = queue.takeEmpty()
        while let content = nextContent(of: &queue) {
            write(content)
            taken += queue.didSend()
        }
        for outcome in taken {
            guard let send = sends[outcome.id], send.kind == .untilConfirmed else { continue }
            unconfirmed.append(
                Unconfirmed(id: outcome.id, end: written, deadline: send.deadline)
            )
        }
        return taken.filter { sends[$0.id].map { $0.kind != .untilConfirmed } ?? false }
    }

    private func nextContent(of queue: inout SendQueue) -> StreamCipher.Content? {
        var room = session.writableByteCount
        if let cipher {
            guard cipher.isOpen else { return nil }
            room = min(
                room - StreamCipher.recordOverhead,
                StreamCipher.maximumRecordByteCount
            )
        }
        if let controlByteCount = queue.nextControlByteCount {
            guard room >= controlByteCount else { return nil }
            return queue.nextChunk(upTo: controlByteCount).map { .control($0) }
        }
        return room > 0 ? queue.nextChunk(upTo: room).map { .bytes($0) } : nil
    }

    /// Writes what there is room for.
    private func write(_ content: StreamCipher.Content) {
        let bytes: [UInt8]
        switch content {
        case .bytes(let plain) where cipher == nil: bytes = plain
        case .bytes, .control: bytes = cipher?.seal(content) ?? []
        }
        written += UInt64(session.write(bytes))
    }

    /// The other end has said hello, for the first time.
    func begin(at now: Duration) {
        guard let cipher else { return isOpen = true }
        written += UInt64(session.write(cipher.greeting))
        proofLimit = now + session.configuration.proofLimit
    }

    /// Takes what came.
    ///
    /// - Returns: what is in it.
    func decrypt(_ bytes: [UInt8]) throws(SocketError) -> [StreamCipher.Content] {
        guard let received = try cipher?.receive(bytes) else { return [.bytes(bytes)] }
        written += UInt64(session.write(received.reply))
        if cipher?.isOpen == true {
            isOpen = true
            proofLimit = nil
        }
        return received.contents
    }

    /// Why the stream cannot go on, if that is so.
    func takeFailure(at now: Duration) -> SocketError? {
        guard let limit = proofLimit, limit <= now else { return nil }
        proofLimit = nil
        return SocketError(
            .timedOut,
            "the other end did not say within \(session.configuration.proofLimit.inUnits) who it is"
        )
    }

    /// Says the end where only the two ends can.
    func endRecords() {
        guard cipher != nil, !session.sender.isEnded else { return }
        write(.bytes([]))
    }

    /// The other end has so many bytes.
    func confirm(_ count: UInt64) {
        confirmed = count
    }

    /// What came of calls by now.
    func takeOutcomes(at now: Duration) -> [SendQueue.Outcome] {
        guard !unconfirmed.isEmpty else { return [] }
        var outcomes: [SendQueue.Outcome] = []
        while let first = unconfirmed.first, first.end <= confirmed {
            outcomes.append(SendQueue.Outcome(id: first.id, error: nil))
            unconfirmed.removeFirst()
        }
        let late = unconfirmed.filter { $0.deadline.map { $0 <= now } ?? false }
        guard !late.isEmpty else { return outcomes }
        let error = SocketError(
            .timedOut,
            "the other end has not confirmed in time what was sent; it may have it, or get it yet"
        )
        unconfirmed.removeAll { entry in late.contains { $0.id == entry.id } }
        return outcomes + late.map { SendQueue.Outcome(id: $0.id, error: error) }
    }

    /// Whoever waits for one has given up.
    func cancel(_ id: Int) -> [SendQueue.Outcome] {
        guard let index = unconfirmed.firstIndex(where: { $0.id == id }) else { return [] }
        unconfirmed.remove(at: index)
        let error = SocketError(
            .cancelled,
            "sending was cancelled when the bytes were on their way; the other end gets them"
        )
        return [SendQueue.Outcome(id: id, error: error)]
    }

    /// Fails all that is not confirmed.
    func close(_ error: SocketError) -> [SendQueue.Outcome] {
        defer { unconfirmed = [] }
        for promise in finishing { promise.fail(error) }
        finishing = []
        return unconfirmed.map { SendQueue.Outcome(id: $0.id, error: error) }
    }

    /// Promises the moment at which the other end has all.
    func finished() -> Promise<Void> {
        let promise = Promise<Void>()
        finishing.append(promise)
        return promise
    }

    func takeFinished() {
        guard session.sender.isEndConfirmed else { return }
        for promise in finishing { promise.fulfil() }
        finishing = []
    }
}
