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
        let object = GattCharacteristic1(path: try path(of: characteristic))
        guard !gate.isConfirmed(object.path) else { return }
        gate.subscribe(object.path)
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
            logger.debug("\(peer) had stopped telling \(characteristic)")
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

    private func reply(
        to message: Message,
        isRead: Bool,
        _ path: ObjectPath
    ) async throws -> Message {
        let request = send(message, isRead: isRead, path)
        do {
            return try await request.reply.wait()
        } catch let error as CancellationError {
            if isRead, queue.isUnderWay(request) {
                // bluetoothd takes another request beside a read, which the peer may never answer.
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
        connection.request(request.message, logger) { [weak self] result in
            self?.assumeIsolated { $0.handle(result, of: request) }
        }
    }

    private func handle(
        _ result: Result<Message, any Error>,
        of request: RequestQueue.Request
    ) {
        request.reply.fulfil(result)
        guard queue.isUnderWay(request) else { return }
        let value = try? result.get().read { (reader) throws(BusError) in
            try reader.readBytes()
        }
        finish(request, value)
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
        if let next = queue.didReply(to: request) { send(next) }
    }

    // MARK: - Errors

    /// What a failed request tells.
    ///
    /// Refusal 0x0E may also mean that the link is lost; then the loss has been told before the
    /// error. What it can also mean, and nobody can tell: the peer's system refused because its
    /// program was too slow, or the peer did not reply for 30 s, of which the loss follows 2 s later.
    private func failure(
        _ error: any Error,
        of message: Message,
        _ characteristic: AttributeID,
        _ path: ObjectPath
    ) async -> any Error {
        guard let reply = error as? ErrorReply else {
            return translate(error, message, characteristic)
        }
        if reply.name == BlueZError.notSupported, let loss = await loss(of: characteristic, path) {
            return translate(loss, message, characteristic)
        }
        return BlueZError.refusal(reply) ?? translate(reply, message, characteristic)
    }

    /// Why a characteristic is no longer there; `nil` when it is.
    ///
    /// `NotSupported` is the error when the peer refuses, and when it takes the service back
    /// meanwhile. The objects go tens of milliseconds later; but the peer answers a read at once:
    /// it knows no such handle, or says what it has, or why it doesn't. When neither has come by
    /// then, it was a refusal.
    private func loss(
        of characteristic: AttributeID,
        _ path: ObjectPath
    ) async -> (any Error)? {
        do {
            _ = try await withTimeLimit(recovery.verdict, on: recovery.clock) {
                try await self.probe(characteristic, path)
            }
            return nil
        } catch let reply as ErrorReply {
            switch BlueZError.refusal(reply) {
            case .invalidHandle: return ErrorReply(.unknownObject, reply.text)
            case nil: return reply
            default: return nil
            }
        } catch {
            return error
        }
    }

    /// Returns when the peer shows that it has a characteristic's service still; throws what tells
    /// that it doesn't.
    private func probe(_ characteristic: AttributeID, _ path: ObjectPath) async throws {
        guard let probe = remote.probe(for: path) else {
            while remote.id(at: path) != nil { try await nextChange() }
            throw withdrawn(characteristic.service)
        }
        _ = try await reply(to: GattCharacteristic1(path: probe).readValue, isRead: true, probe)
    }

    private func translate(
        _ error: any Error,
        _ message: Message,
        _ characteristic: AttributeID
    ) -> any Error {
        if case .ended(let ending) = state, !(error is CancellationError) { return ending }
        let text = "\(message.member ?? "") on \(characteristic) of \(peer)"
        return BlueZError.translate(error, for: .access, text)
    }
}
