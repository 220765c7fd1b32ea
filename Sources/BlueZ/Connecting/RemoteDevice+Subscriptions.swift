internal import BLE
internal import BLEDBus
internal import Logging

/// Subscriptions of the links: bluetoothd is asked for each characteristic once, and notifies all.
extension RemoteDevice {
    func subscribe(to characteristic: AttributeID, by lease: Int) async throws {
        _ = try await subscribe(lease, to: characteristic, nil)
    }

    func notifications(
        of characteristic: AttributeID,
        by lease: Int
    ) async throws -> AsyncThrowingStream<[UInt8], any Error> {
        let (values, stream) = AsyncThrowingStream.makeStream(
            of: [UInt8].self,
            bufferingPolicy: .bufferingOldest(Leases.maximumEventCount)
        )
        let id = try await subscribe(lease, to: characteristic, stream)
        // In a task, since the consumer may be anywhere when it drops the stream.
        stream.onTermination = { [weak self] _ in Task { await self?.giveUp(id) } }
        return values
    }

    /// Subscribes to a characteristic.
    ///
    /// - Parameters:
    ///   - lease: the link.
    ///   - characteristic: what is to be notified.
    ///   - stream: what gets the values; `nil` for the link's events.
    /// - Returns: what identifies the subscription.
    /// - Throws: ``RadioError``, ``ATTError``, `CancellationError`.
    private func subscribe(
        _ lease: Int,
        to characteristic: AttributeID,
        _ stream: AsyncThrowingStream<[UInt8], any Error>.Continuation?
    ) async throws -> Leases.SubscriptionID {
        try checkUp(lease)
        _ = try self.path(of: characteristic)
        try await awaitOthers()
        // The link may have ended meanwhile, or the service have moved.
        try checkUp(lease)
        let path = try path(of: characteristic)
        let id = leases.subscribe(lease, to: path, stream)
        do {
            try await startNotifying(characteristic, path)
            // The link may have ended meanwhile, and another one hold the connection.
            try checkUp(lease)
        } catch {
            giveUp(id)
            throw error
        }
        return id
    }

    /// Ends a subscription; the last one also at bluetoothd, whichever call had asked for it there.
    private func giveUp(_ id: Leases.SubscriptionID) {
        leases.unsubscribe(id)
        unsubscribeUnused(id.path)
    }

    func unsubscribe(from characteristic: AttributeID, by lease: Int) async throws {
        guard isUp, let path = remote.path(of: characteristic),
            leases.unsubscribe(lease, from: path), !leases.isSubscribed(path),
            gate.isSubscribed(path)
        else { return }
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

    /// Asks bluetoothd to notify no longer what no link has subscribed to.
    func unsubscribeUnused(_ path: ObjectPath) {
        guard isUp, gate.isConfirmed(path), !leases.isSubscribed(path) else { return }
        gate.unsubscribe(path)
        send(GattCharacteristic1(path: path).stopNotify, path)
    }

    /// Asks bluetoothd to notify a characteristic, unless it does so already.
    private func startNotifying(_ characteristic: AttributeID, _ path: ObjectPath) async throws {
        let object = GattCharacteristic1(path: path)
        guard !gate.isConfirmed(object.path) else { return }
        gate.subscribe(object.path)
        notified.insert(object.path)
        do {
            _ = try await request(object.startNotify, characteristic, object.path)
            gate.confirm(object.path)
            // The link that wanted it may have ended meanwhile, and another one hold the connection.
            unsubscribeUnused(object.path)
        } catch {
            let isUnwanted = gate.abandon(object.path)
            // It may have been sent, and succeed yet.
            let hasNoReply =
                error is CancellationError || (error as? RadioError)?.code == .timedOut
            if isUnwanted, hasNoReply { send(object.stopNotify, object.path) }
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
}
