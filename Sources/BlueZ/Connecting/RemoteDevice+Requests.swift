internal import BLE
internal import DBus
internal import Logging

/// What is asked of the peer: one request at a time for each characteristic.
extension RemoteDevice {
    private static let maximumValueByteCount = 512

    func read(_ characteristic: AttributeID) async throws -> [UInt8] {
        try checkUp()
        let object = GattCharacteristic1(path: try path(of: characteristic))
        let reply = try await request(object.readValue, isRead: true, characteristic, object.path)
        do {
            return try reply.read { (reader) throws(BusError) in try reader.readBytes() }
        } catch {
            throw translate(error, object.readValue, characteristic)
        }
    }

    func write(_ value: [UInt8], to characteristic: AttributeID) async throws {
        try checkUp()
        guard value.count <= Self.maximumValueByteCount else {
            throw RadioError(
                .valueTooLong,
                "writing \(value.count) bytes to \(characteristic): a value has at most "
                    + "\(Self.maximumValueByteCount)"
            )
        }
        let object = GattCharacteristic1(path: try path(of: characteristic))
        _ = try await request(object.writeValue(value), characteristic, object.path)
    }

    func subscribe(to characteristic: AttributeID) async throws {
        try checkUp()
        try await awaitOthers()
        try checkUp()
        let object = GattCharacteristic1(path: try path(of: characteristic))
        guard !gate.isConfirmed(object.path) else { return }
        gate.subscribe(object.path)
        notified.insert(object.path)
        do {
            _ = try await request(object.startNotify, characteristic, object.path)
            gate.confirm(object.path)
        } catch {
            let isUnwanted = gate.abandon(object.path)
            // It may have been sent, and succeed yet.
            if isUnwanted, error is CancellationError { send(object.stopNotify, object.path) }
            throw error
        }
    }

    /// A link that was there may be one that another program is just making, which then subscribes.
    private func awaitOthers() async throws {
        guard isForeign, !hasAwaitedOthers else { return }
        hasAwaitedOthers = true
        _ = try await withTimeLimit(recovery.otherSubscriptionLimit, on: recovery.clock) {
            try await self.waitUntilShared()
        }
    }

    private func waitUntilShared() async throws {
        while isForeign { try await nextChange() }
    }

    func unsubscribe(from characteristic: AttributeID) async throws {
        guard isUp, let path = remote.path(of: characteristic), gate.isSubscribed(path) else {
            return
        }
        gate.unsubscribe(path)
        let object = GattCharacteristic1(path: path)
        // Sent also for a task that is cancelled already.
        let request = send(object.stopNotify, object.path)
        do {
            _ = try await request.reply.wait()
        } catch let reply as ErrorReply where reply.text == "No notify session started" {
            logger.debug("\(characteristic) was not notified any more")
        } catch {
            throw await failure(error, of: object.stopNotify, characteristic, object.path)
        }
    }

    private func checkUp() throws {
        try Task.checkCancellation()
        switch state {
        case .up: return
        case .ended(let error): throw error
        case .connecting, .leaving: throw RadioError(.peerGone, "there is no link to \(peer)")
        }
    }

    // MARK: - Queue

    private func request(
        _ message: Message,
        isRead: Bool = false,
        _ characteristic: AttributeID,
        _ path: ObjectPath
    ) async throws -> Message {
        do {
            return try await reply(to: message, isRead: isRead, path)
        } catch {
            throw await failure(error, of: message, characteristic, path)
        }
    }

    func reply(
        to message: Message,
        isRead: Bool,
        _ path: ObjectPath
    ) async throws -> Message {
        let request = send(message, isRead: isRead, path)
        do {
            return try await request.reply.wait()
        } catch let error as CancellationError {
            if isRead || retries[request.id]?.isPausing == true, queue.isUnderWay(request) {
                // bluetoothd takes another request beside a read, which the peer may never answer; one
                // that is to be sent again is not.
                finish(request, nil)
            } else {
                queue.takeBack(request)
            }
            throw error
        }
    }

    @discardableResult
    private func send(
        _ message: Message,
        isRead: Bool = false,
        _ path: ObjectPath
    ) -> RequestQueue.Request {
        let (request, isNext) = queue.add(message, isRead: isRead, at: path)
        if isNext { send(request) }
        return request
    }

    private func send(_ request: RequestQueue.Request) {
        if request.isRead { gate.beginRead(at: request.path) }
        transmit(request)
    }

    private func transmit(_ request: RequestQueue.Request) {
        if request.message.member == "StopNotify" { unsubscribing.insert(request.path) }
        connection.request(request.message, logger) { [weak self] result in
            self?.assumeIsolated { $0.handle(result, of: request) }
        }
    }

    private func handle(
        _ result: Result<Message, any Error>,
        of request: RequestQueue.Request
    ) {
        if case .failure(let error as ErrorReply) = result {
            if error.name == BlueZError.notConnected { isBeingEnded = true }
            guard error.name != BlueZError.inProgress || !retry(request) else { return }
        }
        didEndNotifying(request, result)
        retries[request.id] = nil
        request.reply.fulfil(result)
        guard queue.isUnderWay(request) else { return }
        let value = try? result.get().read { (reader) throws(BusError) in
            try reader.readBytes()
        }
        finish(request, value)
    }

    /// Keeps what may be notified, until bluetoothd has replied that it is not.
    private func didEndNotifying(
        _ request: RequestQueue.Request,
        _ result: Result<Message, any Error>
    ) {
        switch (request.message.member, result) {
        case ("StopNotify", _), ("StartNotify", .failure):
            unsubscribing.remove(request.path)
            if !gate.isSubscribed(request.path) { notified.remove(request.path) }
            releasing?.assumeIsolated { $0.didUnsubscribe(request.path, self) }
        default: break
        }
    }

    /// Sends a request again in a while, as another program's to the same characteristic is under way.
    ///
    /// - Returns: whether that is to be; not after it was tried for long.
    private func retry(_ request: RequestQueue.Request) -> Bool {
        guard isUp, queue.isUnderWay(request) else { return false }
        var retry = retries[request.id] ?? Retry(recovery)
        guard retry.elapsed() < recovery.requestRetryLimit else { return false }
        let pause = retry.pauses.next(using: &random)
        logger.info("\(request.message.callDescription) is in progress; trying again in \(pause)")
        retry.isPausing = true
        retries[request.id] = retry
        // Ends with the pause.
        Task { [weak self, clock = recovery.clock] in
            guard (try? await clock.sleep(for: pause)) != nil else { return }
            await self?.resend(request)
        }
        return true
    }

    private func resend(_ request: RequestQueue.Request) {
        guard isUp, queue.isUnderWay(request) else { return }
        retries[request.id]?.isPausing = false
        transmit(request)
    }

    /// A request no longer holds up those behind it.
    ///
    /// - Parameters:
    ///   - request: what is under way.
    ///   - value: what it read, if it was a read, and answered.
    private func finish(_ request: RequestQueue.Request, _ value: [UInt8]?) {
        if request.isRead {
            for value in gate.endRead(at: request.path, value) { deliver(value, at: request.path) }
        }
        retries[request.id] = nil
        if let next = queue.didReply(to: request) { send(next) }
    }
}

extension RemoteDevice {
    /// A request that is sent again.
    struct Retry {
        var pauses: Backoff
        let elapsed: () -> Duration
        /// Whether it is not sent now.
        var isPausing = false

        init(_ recovery: Recovery) {
            pauses = recovery.requestPauses
            elapsed = recovery.stopwatch()
        }
    }
}
