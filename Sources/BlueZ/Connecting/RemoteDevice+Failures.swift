internal import BLE
internal import BLEDBus

/// What a failed request means: a refusal, or that the service is gone.
extension RemoteDevice {
    /// The error of a failed request.
    ///
    /// Refusal 0x0E may also mean that the link is lost; then the loss has been reported before the
    /// error. What it can also mean, without a difference to be seen: the peer's system refused because its
    /// program was too slow, or the peer did not reply for 30 s, of which the loss follows 2 s later.
    func failure(
        _ error: any Error,
        of message: Message,
        _ characteristic: AttributeID,
        _ path: ObjectPath
    ) async -> any Error {
        guard let reply = error as? ErrorReply else {
            return translate(error, message, "\(characteristic)")
        }
        if reply.name == BlueZError.notSupported, let loss = await loss(of: characteristic, path) {
            return translate(loss, message, "\(characteristic)")
        }
        return BlueZError.refusal(reply) ?? translate(reply, message, "\(characteristic)")
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
            _ = try await withTimeLimit(recovery.serviceCheckLimit, on: recovery.clock) {
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

    /// Returns when the peer shows that it has a characteristic's service still; throws what shows
    /// that it doesn't.
    private func probe(_ characteristic: AttributeID, _ path: ObjectPath) async throws {
        guard let probe = remote.probe(for: path) else {
            while remote.id(at: path) != nil { try await nextChange() }
            throw withdrawn(characteristic.service)
        }
        _ = try await reply(to: GattCharacteristic1(path: probe).readValue, isRead: true, probe)
    }

    func translate(
        _ error: any Error,
        _ message: Message,
        _ attribute: String
    ) -> any Error {
        if case .ended(let ending) = state, !(error is CancellationError) { return ending }
        let text = "\(message.member ?? "") on \(attribute) of \(peer)"
        return BlueZError.translate(error, for: .access, text)
    }
}
