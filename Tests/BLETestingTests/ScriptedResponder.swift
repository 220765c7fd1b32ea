import BLE

/// A responder that does what its test says, and records its calls in order.
actor ScriptedResponder: GATTResponder {
    /// Calls that can be held.
    enum Calls { case requests, all }

    nonisolated let calls: AsyncStream<String>
    private let call: AsyncStream<String>.Continuation
    private(set) var requests: [GATTRequest] = []
    /// The MTUs that it was told, of whom.
    private(set) var mtus: [String] = []
    private(set) var publication: (any Publication)?
    private var reply: Result<[UInt8], ATTError> = .success([])
    private var onWrite: @Sendable (any Publication) async throws -> Void = { _ in }
    private var holding: Calls?
    private var callCount = 0
    /// How many calls there were at once.
    private(set) var maximumCallCount = 0
    private var held: [CheckedContinuation<Void, Never>] = []

    init() {
        (calls, call) = AsyncStream.makeStream()
    }

    /// What the next reads and writes get.
    func setReply(_ reply: Result<[UInt8], ATTError>) { self.reply = reply }

    /// What is done in each write.
    func setOnWrite(_ action: @escaping @Sendable (any Publication) async throws -> Void) {
        onWrite = action
    }

    /// The next calls don't return before ``release()``.
    ///
    /// Who waits for a request holds requests alone: events of before it may still come.
    func hold(_ calls: Calls = .requests) { holding = calls }

    func release() {
        holding = nil
        for continuation in held { continuation.resume() }
        held = []
    }

    private func record(_ text: String, isRequest: Bool = true) async {
        callCount += 1
        maximumCallCount = max(maximumCallCount, callCount)
        call.yield(text)
        if holding == .all || isRequest && holding == .requests {
            await withCheckedContinuation { held.append($0) }
        }
        await Task.yield()
        callCount -= 1
    }

    func didPublish(_ publication: any Publication) async {
        self.publication = publication
        await record("published", isRequest: false)
    }

    func read(
        _ characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) -> [UInt8] {
        requests.append(request)
        await record("\(request.central) reads \(characteristic.name) at \(request.offset)")
        return try reply.get()
    }

    func write(
        _ value: [UInt8],
        to characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) {
        requests.append(request)
        await record("\(request.central) writes \(value) to \(characteristic.name)")
        if let publication {
            do {
                try await onWrite(publication)
            } catch {
                call.yield("\(error)")
            }
        }
        _ = try reply.get()
    }

    func handle(_ event: PublicationEvent) async {
        // Not among the calls, as it comes with each connection.
        if case .mtuChanged(let mtuBytes, let peer) = event {
            mtus.append("\(peer) \(mtuBytes)")
            return
        }
        await record(event.text, isRequest: false)
    }
}

extension AttributeID {
    fileprivate var name: String {
        "\(characteristic.longText.dropFirst(4).prefix(4))/\(instance)"
    }
}

extension PublicationEvent {
    fileprivate var text: String {
        switch self {
        case .subscribed(let id, let peer):
            "\(peer?.rawValue ?? "somebody") subscribed to \(id.name)"
        case .unsubscribed(let id, let peer):
            "\(peer?.rawValue ?? "somebody") unsubscribed from \(id.name)"
        case .connected(let peer): "\(peer) connected"
        case .disconnected(let peer): "\(peer) disconnected"
        case .mtuChanged(let mtuBytes, let peer): "\(peer) has an MTU of \(mtuBytes)"
        case .individualNotificationsEnded(let id, let peer):
            "\(peer) is no longer notified alone of \(id.name)"
        case .lostWrites(let count, let id, let peer):
            "\(count) writes of \(peer) to \(id.name) were lost"
        case .ended(let error): "ended \(error.code)"
        }
    }
}
