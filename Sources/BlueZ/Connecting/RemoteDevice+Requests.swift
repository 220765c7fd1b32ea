internal import BLE
internal import BLEDBus
internal import Logging

/// What is asked of the peer: one request at a time for each characteristic.
extension RemoteDevice {
    private static let maximumValueByteCount = 512

    /// bluetoothd loses a write command of more over an enhanced bearer, and reports success.
    static let maximumCommandByteCount = 508

    func read(_ characteristic: AttributeID, by lease: Int) async throws -> [UInt8] {
        try checkUp(lease)
        let object = GattCharacteristic1(path: try path(of: characteristic))
        let reply = try await request(object.readValue, isRead: true, characteristic, object.path)
        do {
            return try reply.read { (reader) throws(BusError) in try reader.readBytes() }
        } catch {
            throw translate(error, object.readValue, "\(characteristic)")
        }
    }

    func write(
        _ value: [UInt8],
        to characteristic: AttributeID,
        _ kind: WriteKind,
        by lease: Int
    ) async throws {
        try checkUp(lease)
        let maximum = maximumWriteByteCount(kind)
        guard value.count <= maximum else {
            let limit =
                kind == .withResponse
                ? "a value has at most \(maximum)"
                : "one without a response has at most \(maximum), with an MTU of \(remote.mtuBytes)"
            throw RadioError(
                .valueTooLong,
                "writing \(value.count) bytes to \(characteristic): \(limit)"
            )
        }
        let object = GattCharacteristic1(path: try path(of: characteristic))
        if kind == .withoutResponse,
            !remote.properties(at: object.path).contains(.writeWithoutResponse)
        {
            throw RadioError(
                .unsupported,
                "writing to \(characteristic) of \(peer): it takes no writes without a response"
            )
        }
        _ = try await request(object.writeValue(value, kind), characteristic, object.path)
    }

    /// The most bytes that one write carries.
    func maximumWriteByteCount(_ kind: WriteKind) -> Int {
        switch kind {
        case .withResponse: Self.maximumValueByteCount
        case .withoutResponse: min(remote.mtuBytes - 3, Self.maximumCommandByteCount)
        }
    }

    func services(of lease: Int) -> [GATTService] {
        leases.contains(lease) ? remote.all : []
    }

    func read(_ descriptor: DescriptorID, by lease: Int) async throws -> [UInt8] {
        try checkUp(lease)
        let object = GattDescriptor1(path: try path(of: descriptor))
        do {
            let reply = try await reply(to: object.readValue, isRead: false, object.path)
            return try reply.read { (reader) throws(BusError) in try reader.readBytes() }
        } catch {
            throw descriptorFailure(error, of: object.readValue, descriptor)
        }
    }

    func write(_ value: [UInt8], to descriptor: DescriptorID, by lease: Int) async throws {
        try checkUp(lease)
        guard value.count <= Self.maximumValueByteCount else {
            throw RadioError(
                .valueTooLong,
                "writing \(value.count) bytes to \(descriptor): a value has at most "
                    + "\(Self.maximumValueByteCount)"
            )
        }
        let object = GattDescriptor1(path: try path(of: descriptor))
        let message = object.writeValue(value)
        do {
            _ = try await reply(to: message, isRead: false, object.path)
        } catch {
            throw descriptorFailure(error, of: message, descriptor)
        }
    }

    private func descriptorFailure(
        _ error: any Error,
        of message: Message,
        _ descriptor: DescriptorID
    ) -> any Error {
        let refusal = (error as? ErrorReply).flatMap(BlueZError.refusal)
        return refusal ?? translate(error, message, "\(descriptor)")
    }

    /// Waits until the services are known.
    func discoverServices(by lease: Int) async throws -> [GATTService] {
        try checkUp(lease)
        do {
            try await resolve()
        } catch let error as RadioError {
            throw error
        } catch {
            throw BlueZError.translate(error, for: .access, "discovering the services of \(peer)")
        }
        return remote.all
    }

    func checkUp(_ lease: Int) throws {
        try Task.checkCancellation()
        switch state {
        case .up:
            guard !leases.contains(lease) else { return }
            throw Self.ended(peer)
        case .ended(let error): throw error
        case .connecting, .leaving: throw RadioError(.peerGone, "there is no link to \(peer)")
        }
    }

    // MARK: - Queue

    func request(
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
    func send(
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
        let limit = recovery.requestLimit
        connection.request(request.message, logger, timeLimit: limit) { [weak self] result in
            self?.assumeIsolated { $0.handle(result, of: request) }
        }
    }

    private func handle(
        _ result: Result<Message, any Error>,
        of request: RequestQueue.Request
    ) {
        if case .failure(let error as ErrorReply) = result {
            guard error.name != BlueZError.inProgress || !retry(request) else { return }
            if BlueZError.refusal(error)?.meansChangedServices == true { hasStaleAttributes = true }
        }
        defer { leaveIfBeingEnded(result) }
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
    /// - Returns: whether that is to be; not after it was tried for long, nor for one that was cancelled.
    private func retry(_ request: RequestQueue.Request) -> Bool {
        guard isUp, queue.isWanted(request) else { return false }
        var retry = retries[request.id] ?? Retry(recovery)
        guard retry.elapsed() < recovery.requestRetryLimit else { return false }
        let pause = retry.pauses.next(using: &random)
        logger.info(
            "\(request.message.callDescription) is in progress; trying again in \(pause.inUnits)"
        )
        retry.isPausing = true
        retries[request.id] = retry
        // Never cancelled: what is no longer under way is not sent again.
        _ = Deadline(after: pause, on: recovery.clock, of: self) { $0.resend(request) }
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
