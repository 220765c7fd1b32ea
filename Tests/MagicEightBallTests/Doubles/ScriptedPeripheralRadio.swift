import BLE

@testable import MagicEightBall

/// A radio whose askers and replies a test decides.
///
/// As a real one: it calls the responder one request at a time, and reports nothing after the end
/// of a publication.
actor ScriptedPeripheralRadio: PeripheralRadio {
    nonisolated let executor: any RadioExecutor = TimelessExecutor()
    nonisolated let requests = Feed<ScriptedRequest>()
    private(set) var state = RadioState.on
    private var isClosed = false
    private var heedsCancellation = true
    private var watchers: [AsyncStream<RadioState>.Continuation] = []
    private(set) var responder: (any GATTResponder)?
    /// What was published last, and how.
    private(set) var published: (services: [GATTService], options: PublicationOptions)?

    func states() -> AsyncStream<RadioState> {
        let (states, continuation) = AsyncStream.makeStream(
            of: RadioState.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        continuation.yield(state)
        watchers.append(continuation)
        if isClosed { continuation.finish() }
        return states
    }

    func publish(
        _ services: [GATTService],
        advertising advertisement: Advertisement?,
        options: PublicationOptions,
        responder: any GATTResponder
    ) async throws -> any Publication {
        let publishing = Task { [requests] in
            try await ScriptedRequest.make(
                .publish(advertisement?.localName ?? ""),
                in: requests.continuation
            )
        }
        let isHeeded = heedsCancellation
        try await withTaskCancellationHandler {
            try await publishing.value
        } onCancel: {
            if isHeeded { publishing.cancel() }
        }
        self.responder = responder
        published = (services, options)
        return ScriptedPublication(requests: requests.continuation)
    }

    func advertise(_ advertisement: Advertisement) async throws -> any Advertising {
        throw RadioError(.unsupported, "this radio advertises what it publishes alone")
    }

    // MARK: What the test says

    /// Closes the radio for good.
    func close() {
        isClosed = true
        for watcher in watchers { watcher.finish() }
    }

    func become(_ state: RadioState) {
        self.state = state
        for watcher in watchers { watcher.yield(state) }
    }

    /// Publishes also for who is cancelled, as a real one whose system confirms it just then.
    func ignoreCancellation() { heedsCancellation = false }

    /// As a real one does at a publication's end.
    func forgetResponder() {
        responder = nil
    }

    func say(_ event: PublicationEvent) async {
        await responder?.handle(event)
    }

    /// Writes as a central does; throws what it would get.
    func write(_ text: String, from central: String, mtuBytes: Int = 517) async throws {
        try await write(Array(text.utf8), from: central, mtuBytes: mtuBytes)
    }

    func write(_ value: [UInt8], from central: String, mtuBytes: Int = 517) async throws {
        let request = GATTRequest(central: PeerID(rawValue: central), mtuBytes: mtuBytes)
        try await responder?.write(value, to: EightBallService.question, request)
    }

    /// Reads as a central does, from an offset on.
    func read(by central: String, offset: Int = 0) async throws -> String? {
        let request = GATTRequest(
            central: PeerID(rawValue: central),
            mtuBytes: 23,
            offset: offset
        )
        let value = try await responder?.read(EightBallService.answer, request)
        return value.map { String(decoding: $0.dropFirst(offset), as: UTF8.self) }
    }

    /// Writes as an asker does that has its answers to itself.
    func askPrivately(
        _ text: String,
        _ tag: QuestionTag,
        from central: String,
        mtuBytes: Int = 517
    ) async throws {
        try await askPrivately(
            PrivateQuestion(tag: tag, question: Array(text.utf8)).bytes,
            from: central,
            mtuBytes
        )
    }

    func askPrivately(_ value: [UInt8], from central: String, _ mtuBytes: Int = 517) async throws {
        let request = GATTRequest(central: PeerID(rawValue: central), mtuBytes: mtuBytes)
        let privateQuestion = EightBallService.privateQuestion
        try await responder?.write(value, to: privateQuestion, request)
    }

    /// Reads Reply as such an asker does, all of it, in as many parts as it takes.
    func readReply(by central: String, mtuBytes: Int = 517) async throws -> [UInt8] {
        var whole: [UInt8] = []
        while true {
            let part = try await readReply(by: central, offset: whole.count, mtuBytes: mtuBytes)
            whole += part.prefix(mtuBytes - 1)
            if part.count < mtuBytes - 1 { return whole }
        }
    }

    /// What a radio gets that serves one part of a read of Reply, from the offset on.
    func readReply(by central: String, offset: Int, mtuBytes: Int) async throws -> [UInt8] {
        let request = GATTRequest(
            central: PeerID(rawValue: central),
            mtuBytes: mtuBytes,
            offset: offset
        )
        let reply = EightBallService.reply
        return Array((try await responder?.read(reply, request) ?? []).dropFirst(offset))
    }

    /// The wrong way round: reads the question, writes the answer.
    func swap(by central: String) async -> [ATTError] {
        let request = GATTRequest(central: PeerID(rawValue: central), mtuBytes: 23)
        var refusals: [ATTError] = []
        do throws(ATTError) {
            _ = try await responder?.read(EightBallService.question, request)
        } catch {
            refusals.append(error)
        }
        do throws(ATTError) {
            try await responder?.write([], to: EightBallService.answer, request)
        } catch {
            refusals.append(error)
        }
        return refusals
    }
}

/// A publication of a ``ScriptedPeripheralRadio``.
struct ScriptedPublication: Publication {
    let requests: AsyncStream<ScriptedRequest>.Continuation

    func update(_ characteristic: AttributeID, to value: [UInt8]) async throws {
        let isReply = characteristic == EightBallService.reply
        try await ScriptedRequest.make(isReply ? .ready(value) : .update(value), in: requests)
    }

    func indicate(_ characteristic: AttributeID, to value: [UInt8]) async throws -> Confirmation {
        .unconfirmed
    }

    func disconnect(_ central: PeerID) async throws {
        try await ScriptedRequest.make(.disconnectCentral(central), in: requests)
    }

    func withdraw() async {
        // Returns when the test replies, also to who is cancelled; a radio that is gone never refuses.
        _ = await Task { try? await ScriptedRequest.make(.withdraw, in: requests) }.value
    }
}
