/// The messages of an add-on: one is under way until the device has said how it ended.
struct GeotabMessages: Sendable {
    private let maximumCount: Int
    private let maximumByteCount: Int
    private let resultLimit: Duration
    private var isOpen = false
    private var waiting: [(id: Int, frame: GeotabFrame)] = []
    /// The message that is under way; without a number once it is cancelled.
    private var outstanding: (id: Int?, deadline: Duration)?

    init(maximumCount: Int, maximumByteCount: Int, resultLimit: Duration) {
        precondition(maximumCount > 0, "nothing could be sent")
        self.maximumCount = maximumCount
        self.maximumByteCount = maximumByteCount
        self.resultLimit = resultLimit
    }

    /// When the device has to have said what came of the message that is under way.
    var deadline: Duration? { outstanding?.deadline }

    mutating func open() {
        isOpen = true
    }

    /// No message is taken any more; those that were not sent fail.
    mutating func close(_ error: SocketError) -> [GeotabAddOn.Action] {
        let unsent = [outstanding?.id].compactMap(\.self) + waiting.map(\.id)
        isOpen = false
        waiting = []
        outstanding = nil
        return unsent.map { .failedToSend($0, error) }
    }

    mutating func add(_ id: Int, _ body: [UInt8]) -> [GeotabAddOn.Action] {
        do {
            try append(id, body)
            return []
        } catch {
            return [.failedToSend(id, error)]
        }
    }

    private mutating func append(_ id: Int, _ body: [UInt8]) throws(SocketError) {
        guard isOpen else {
            throw SocketError(
                .notConnected,
                "a message of \(body.count) bytes was not sent: no device is connected"
            )
        }
        guard waiting.count < maximumCount else {
            throw SocketError(
                .full,
                "a message of \(body.count) bytes was not sent: \(waiting.count) wait already"
            )
        }
        let frame = try GeotabFrame(.applicationData, body, upTo: maximumByteCount)
        waiting.append((id, frame))
    }

    mutating func cancel(_ id: Int) -> [GeotabAddOn.Action] {
        if let index = waiting.firstIndex(where: { $0.id == id }) {
            waiting.remove(at: index)
            let error = SocketError(.cancelled, "a message was cancelled before it was sent")
            return [.failedToSend(id, error)]
        }
        guard outstanding?.id == id else { return [] }
        outstanding?.id = nil
        let error = SocketError(.cancelled, "a message was cancelled; the device may have it")
        return [.failedToSend(id, error)]
    }

    /// Sends the next message, unless one is under way.
    mutating func sendNext(at now: Duration) -> [GeotabAddOn.Action] {
        guard outstanding == nil, !waiting.isEmpty else { return [] }
        let (id, frame) = waiting.removeFirst()
        outstanding = (id, now + resultLimit)
        return [.transmit(frame.bytes)]
    }

    /// The device has said what came of the message that is under way.
    mutating func finish(_ result: [UInt8]) -> [GeotabAddOn.Action] {
        guard result.count == 4 else {
            let message =
                "the result of a message was left out: it has \(result.count) bytes, not 4"
            return [.failedToReceive(SocketError(.malformedData, message))]
        }
        guard let (id, _) = outstanding else {
            let error = SocketError(.malformedData, "a result was left out: no message was sent")
            return [.failedToReceive(error)]
        }
        outstanding = nil
        guard let id else { return [] }
        guard result[0] == 1 else {
            let error = SocketError(
                .refused,
                "the device could not use a message: its result is \(result[0]), not 1"
            )
            return [.failedToSend(id, error)]
        }
        return [.sent(id)]
    }
}
