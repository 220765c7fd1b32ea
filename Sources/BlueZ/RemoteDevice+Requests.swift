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
        return try reply.read { (reader) throws(BusError) in try reader.readBytes() }
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
            queue.takeBack(request)
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
        if request.isRead {
            let value = try? result.get().read { (reader) throws(BusError) in
                try reader.readBytes()
            }
            for value in gate.endRead(at: request.path, value) { deliver(value, at: request.path) }
        }
        request.reply.fulfil(result)
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
        if reply.name == BlueZError.notSupported, let loss = await loss(of: path) {
            return translate(loss, message, characteristic)
        }
        return BlueZError.refusal(reply) ?? translate(reply, message, characteristic)
    }

    /// Why a characteristic is no longer there; `nil` when it is.
    ///
    /// `NotSupported` is the error when the peer refuses, and when it takes the service back
    /// meanwhile. The object goes tens of milliseconds later; but the peer answers a read at once:
    /// it knows no such handle, or says what it has, or why it doesn't.
    private func loss(of path: ObjectPath) async -> (any Error)? {
        do {
            let message = GattCharacteristic1(path: path).readValue
            _ = try await self.reply(to: message, isRead: true, path)
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
