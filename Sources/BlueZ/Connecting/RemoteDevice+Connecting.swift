internal import BLE
internal import BLEDBus
internal import Logging

/// Making the connection.
extension RemoteDevice {
    /// Makes the connection.
    ///
    /// One that was there, which another program may just be ending, is made certain of: its services are
    /// waited for, but for a while only. A system that does not read those of a central that called it never has them.
    func open() async throws {
        do {
            // In bluetoothd's order of calls; without it the attempt is made all the same.
            if let preferLE = device.preferLE { connection.request(preferLE, logger) { _ in } }
            let isThere = try await learnWhetherConnected()
            // Who is connected is not called, unless this program is ending that link, or no services show: then it may be over
            // another bearer alone.
            if isThere, !isGoing, try await isResolvedSoon() {
                try await checkNotBeingEnded()
            } else {
                try await connect()
                if isThere, isGoing, try await isResolvedSoon() { try await checkNotBeingEnded() }
            }
        } catch {
            if case .ended(let error) = state { throw error }
            // Nobody waits for the attempt any longer; bluetoothd would go on for 40 s.
            if isLinked || isCalled && !(error is ErrorReply) { release() }
            throw BlueZError.translate(error, for: .connect, "connecting to \(peer)")
        }
        try checkNotEnded()
        state = .up
        logger.debug("the link is up")
    }

    /// Learns whether there is a link already.
    ///
    /// bluetoothd does not always signal that a device is connected; whom it notifies has been signalled by the time that it replies.
    private func learnWhetherConnected() async throws -> Bool {
        let message = Message.property("Connected", of: Device1.interface, at: path)
        do {
            // At the reply's place among the signals: the loss of the link may follow at once.
            _ = try await call(message) { device, reply in
                guard (try? reply.body())?.first?.unwrapped.bool == true else { return }
                device.wasThere()
            }
            return wasConnected
        } catch let error as ErrorReply where error.name != .unknownObject {
            return false
        }
    }

    private func wasThere() {
        guard case .connecting = state, let adapter else { return }
        wasConnected = true
        if !isGoing { isLinked = true }
        isForeign = mayBeForeign && !adapter.assumeIsolated { $0.isNotifying(path) }
    }

    /// Calls the peer.
    ///
    /// That there is a link is judged by what bluetoothd shows, too: it may not reply though there is one.
    private func connect() async throws {
        let (id, outcome) = outcomes.add()
        defer { outcomes.remove(id) }
        isCalled = true
        connection.request(device.connect, logger) { [weak self] result in
            // At the reply's place among the signals: the loss of the link may follow at once.
            if case .success = result { self?.assumeIsolated { $0.isLinked = true } }
            outcome.fulfil(result.map { _ in })
        }
        // Cancelled with the reply; ends with the link.
        let watch = Task(executorPreference: connection.loop) { [weak self] in
            try await self?.waitUntilShown()
            guard let self, await judgeLinked() else { return }
            outcome.fulfil()
        }
        defer { watch.cancel() }
        try await outcome.wait()
    }

    /// Waits until bluetoothd shows the services of a link that it has been asked for, and for its reply some more.
    private func waitUntilShown() async throws {
        while !device.areServicesResolved {
            let change: Void? = try await withTimeLimit(
                recovery.connectInquiryPause,
                on: recovery.clock
            ) { try await self.nextChange() }
            if change == nil { try await learnResolution() }
        }
        try await recovery.clock.sleep(for: recovery.connectReplyLimit, tolerance: nil)
    }

    private func learnResolution() async throws {
        let message = Message.property("ServicesResolved", of: Device1.interface, at: path)
        _ = try await call(message) { device, reply in
            guard let value = (try? reply.body())?.first?.unwrapped, value.bool == true else {
                return
            }
            let shown = PropertyMap(["ServicesResolved": value])
            device.device.properties.apply(shown, invalidated: [])
        }
    }

    /// - Returns: whether there is a link, though bluetoothd has not replied.
    private func judgeLinked() -> Bool {
        guard case .connecting = state, !isLinked, device.areServicesResolved else { return false }
        logger.info("bluetoothd shows the services, and does not reply to Connect")
        isLinked = true
        return true
    }

    /// Waits for the services of a link that was there.
    ///
    /// - Returns: whether they are known in time.
    private func isResolvedSoon() async throws -> Bool {
        let limit = recovery.sharedResolutionLimit
        return try await withTimeLimit(limit, on: recovery.clock) {
            try await self.resolve()
            return true
        } ?? false
    }

    /// Waits until bluetoothd knows the services, and has added their objects.
    ///
    /// They come before it says so; with some bugs of bluetoothd, after.
    func resolve() async throws {
        guard !isResolved else { return }
        while !device.areServicesResolved { try await nextChange() }
        // Older versions show no object for Generic Access.
        let expected = Set(device.serviceUUIDs).subtracting([BluetoothUUID(assignedNumber: 0x1800)])
        if !remote.uuids.isSuperset(of: expected) {
            try await flushSignals()
            if remote.uuids.isEmpty {
                while remote.uuids.isEmpty { try await nextChange() }
                try await flushSignals()
            }
        }
        try await learnMTU()
        isResolved = true
    }

    /// Finds out whether another program is ending the link, which is shown for two seconds more.
    ///
    /// bluetoothd refuses `StartNotify` alone then, and checks that first: of a characteristic that cannot
    /// notify the refusal says which of the two it is, and nothing is sent.
    private func checkNotBeingEnded() async throws {
        guard let path = remote.pathWithoutNotifications else { return }
        do {
            let object = GattCharacteristic1(path: path)
            _ = try await call(object.startNotify)
            // It can notify, though it does not say so.
            connection.request(object.stopNotify, logger) { _ in }
        } catch let reply as ErrorReply where reply.name == BlueZError.notConnected {
            isBeingEnded = true
            throw RadioError(
                .connectionFailed,
                "connecting to \(peer): another program is ending the link to it",
                underlying: reply
            )
        } catch is ErrorReply {
            return
        }
    }

    /// Asks for the MTU if it is not known.
    ///
    /// bluetoothd sends it with objects that are new. Those of a device that it knows from an earlier
    /// link have no MTU between the links, and no signal when they have one again.
    private func learnMTU() async throws {
        guard let path = remote.pathWithoutMTU else { return }
        let message = Message.property("MTU", of: GattCharacteristic1.interface, at: path)
        do {
            var mtuBytes: UInt16 = 0
            try await call(message).read { (reply) throws(BusError) in
                try reply.readVariant { (value) throws(BusError) in
                    mtuBytes = try value.readUInt16()
                }
            }
            learn(mtuBytes: max(Int(mtuBytes), 23))
        } catch let reply as ErrorReply {
            // The least that a link carries does.
            logger.debug("the MTU is not known: \(reply)")
        }
    }

    /// Waits until the signals that bluetoothd has sent by now have arrived: a reply comes behind it.
    private func flushSignals() async throws {
        _ = try await call(.property("ServicesResolved", of: Device1.interface, at: path))
    }
}
