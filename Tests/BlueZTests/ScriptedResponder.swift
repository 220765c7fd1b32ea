import BLE

/// A responder that does what its test tells it, and tells what happened to it.
actor ScriptedResponder: GATTResponder {
    enum Call: Equatable {
        case read(AttributeID, GATTRequest)
        case write(AttributeID, [UInt8], GATTRequest)
    }

    nonisolated let calls: AsyncStream<Call>
    nonisolated let events: AsyncStream<PublicationEvent>
    nonisolated let mtus: AsyncStream<(Int, PeerID)>
    private let mtu: AsyncStream<(Int, PeerID)>.Continuation
    private let call: AsyncStream<Call>.Continuation
    private let event: AsyncStream<PublicationEvent>.Continuation
    private var answer: Result<[UInt8], ATTError> = .success([])
    private var isHolding = false
    private var held: CheckedContinuation<Void, Never>?
    private var work: (@Sendable () async -> Void)?

    init() {
        (calls, call) = AsyncStream.makeStream()
        (events, event) = AsyncStream.makeStream()
        (mtus, mtu) = AsyncStream.makeStream()
    }

    /// What the next reads and writes get.
    func answer(_ answer: Result<[UInt8], ATTError>) {
        self.answer = answer
    }

    /// The next read or write is not answered before ``release()``.
    func hold() {
        isHolding = true
    }

    /// What the next write does.
    func whenWritten(_ work: @escaping @Sendable () async -> Void) {
        self.work = work
    }

    func release() {
        isHolding = false
        held?.resume()
        held = nil
    }

    private func wait() async {
        if isHolding { await withCheckedContinuation { held = $0 } }
    }

    func read(
        _ characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) -> [UInt8] {
        call.yield(.read(characteristic, request))
        await wait()
        return try answer.get()
    }

    func write(
        _ value: [UInt8],
        to characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) {
        call.yield(.write(characteristic, value, request))
        await work?()
        work = nil
        await wait()
        _ = try answer.get()
    }

    func handle(_ event: PublicationEvent) {
        // Apart from the others, as it comes with connections.
        if case .mtuChanged(let mtuBytes, let peer) = event {
            mtu.yield((mtuBytes, peer))
        } else {
            self.event.yield(event)
        }
    }
}
