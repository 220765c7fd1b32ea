internal import BLE

// A socket whose bytes travel in a stream.
extension Socket {
    /// There is a connection, for the first time or anew.
    func linkStream() {
        if stream == nil {
            var limits = StreamConfiguration()
            limits.resumptionLimit = configuration.resumptionLimit
            limits.isShared = connection.isShared
            limits.isEncrypted = configuration.encryption != nil
            let isCentral = connection.isCentral
            // A peripheral has none: it waits for another central.
            if isCentral { limits.openLimit = configuration.openLimit ?? .seconds(Int32.max) }
            let session = StreamSession(
                session: isCentral ? .random(in: .min ... .max) : nil,
                configuration: limits,
                at: now
            )
            let cipher = configuration.encryption.map {
                StreamCipher($0, isCentral: isCentral)
            }
            stream = SocketStream(session, cipher)
            connection.assumeIsolated { $0.resumes = true }
        }
        handleStream(.linked)
    }

    /// The connection is lost; another may come.
    func unlinkStream() {
        // A stranger that has subscribed, and said nothing, begins nothing: the next central may be anybody.
        if let session = stream?.session, !session.isKnown, !session.isClosed,
            !connection.isCentral, !connection.isShared
        {
            stream = nil
            connection.assumeIsolated { $0.resumes = false }
            return arm()
        }
        handleStream(.unlinked)
    }

    func handleStream(_ event: StreamSession.Event) {
        guard let actions = stream?.session.handle(event, at: now) else { return }
        for action in actions { carryOut(action) }
        if let failure = stream?.takeFailure(at: now) { failStream(failure) }
        stream?.takeFinished()
        pump()
        closeAfterStream()
    }

    private func carryOut(_ action: StreamSession.Action) {
        // The first reason is the one, and nothing follows it.
        guard stream?.isOver == false else { return }
        switch action {
        case .opened(let isResumed):
            guard !isResumed else { return }
            stream?.begin(at: now)
            if stream?.isOpen == true { didOpen() }
        case .deliver(let bytes):
            receive(bytes)
        case .ended:
            guard stream?.cipher?.hasEnded != false else {
                return failStream(
                    SocketError(.malformedData, "a stranger has ended what the other end sends")
                )
            }
            pieces.finish(nil)
            report(.finishedReceiving)
        case .confirmed(let count):
            stream?.confirm(count)
        case .dropLink(let error):
            report(.failedToReceive(error))
            executor.task(of: connection) { await $0.dropLink() }
        case .close(let error):
            stream?.end = .some(error)
            connection.assumeIsolated { $0.resumes = false }
        }
    }

    private func receive(_ bytes: [UInt8]) {
        guard let wasOpen = stream?.isOpen else { return }
        let pendingCount = stream?.cipher?.pendingByteCount ?? 0
        let contents: [StreamCipher.Content]
        do {
            contents = try stream?.decrypt(bytes) ?? []
        } catch {
            return failStream(error)
        }
        if !wasOpen, stream?.isOpen == true { didOpen() }
        var consumedCount = bytes.count + pendingCount - (stream?.cipher?.pendingByteCount ?? 0)
        for content in contents {
            switch content {
            case .bytes(let plain):
                reportReceived(plain)
                guard pieces.hasReader else { break }
                pieces.add(plain)
                consumedCount -= plain.count
            case .control(let message):
                report(.receivedControl(message))
            }
        }
        if consumedCount > 0 { handleStream(.consumed(consumedCount)) }
    }

    /// Reports what may be a whole window in pieces, so that events that wait have a bound in bytes.
    private func reportReceived(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            report(.received(Array(rest.prefix(StreamCipher.maximumRecordByteCount))))
            rest = rest.dropFirst(StreamCipher.maximumRecordByteCount)
        }
    }

    /// Ends the stream, as the other end is a stranger.
    private func failStream(_ error: SocketError) {
        let reason: StreamReset = error.code == .malformedData ? .violation : .encryption
        let actions = stream?.session.reset(reason, error) ?? []
        for action in actions { carryOut(action) }
    }

    func fillStream() {
        guard stream != nil else { return }
        let written = stream?.fill(from: &queue, of: sends) ?? []
        complete(written + (stream?.takeOutcomes(at: now) ?? []))
    }

    func nextFrame(upTo byteCount: Int) -> [UInt8]? {
        // Few bytes wait in the session.
        fillStream()
        return stream?.session.nextFrame(upTo: byteCount, at: now)
    }

    /// How long the other end may take to end the connection when it is told that the stream is over: whoever sends that
    /// and ends it at once may take it back, as the system has a queue.
    private static let closingLimit = Duration.milliseconds(500)

    /// Closes the connection of a stream that is over, once the other end was told.
    func closeAfterStream() {
        guard let stream, stream.end != nil else { return }
        // The radio may take nothing any more.
        if sending != nil || channel != nil && stream.session.hasReset {
            guard let limit = stream.closingLimit else {
                self.stream?.closingLimit = now + Self.closingLimit
                return arm()
            }
            guard limit <= now else { return }
        }
        self.stream?.closingLimit = nil
        sending?.cancel()
        // Who is given up does not leave by itself.
        let isTold = stream.end.map { $0 == nil } ?? false
        connection.assumeIsolated { $0.finish(isTold: isTold) }
    }

    /// Ends the stream: tells the other end that it is over, or that this one has all.
    func leaveStream() async {
        guard let stream else { return }
        stopReconnecting()
        let closed = Promise<Void>()
        closing.append(closed)
        // With all said, the other end may need to hear it once more.
        if !stream.session.isComplete { handleStream(.close) }
        // In a task that nobody cancels, so that it fails with nothing.
        await Task { _ = try? await closed.wait() }.value
    }

    private func stopReconnecting() { connection.assumeIsolated { $0.reconnects = false } }

    func finishStream() async throws {
        guard let promise = stream?.finished() else { return }
        stream?.endRecords()
        handleStream(.finish)
        try await promise.wait()
    }
}
