internal import BLE
internal import BLEDBus
internal import Logging

/// Values that centrals confirm.
extension PublishedServices {
    func indicate(
        _ characteristic: AttributeID,
        to value: [UInt8]
    ) async throws -> Confirmation {
        _ = try path(of: characteristic, for: value)
        guard services[characteristic]?.properties.contains(.indicate) == true else {
            throw RadioError(
                .unsupported,
                "indicating \(characteristic): it is published without that property"
            )
        }
        guard let indication = indications.add(value, of: characteristic) else {
            throw RadioError(
                .busy,
                "indicating \(characteristic): \(Indications.maximumCount) values wait for the "
                    + "confirmations of those before them"
            )
        }
        indicateNext(of: characteristic)
        do {
            return try await indication.outcome.wait()
        } catch let error as CancellationError {
            indications.takeBack(indication.id, of: characteristic)
            throw error
        }
    }

    /// Sends what waits, unless one is outstanding; without a subscriber nothing is sent.
    private func indicateNext(of characteristic: AttributeID) {
        let isSingle = connectedCount == 1
        while !isWithdrawing, let next = indications.next(of: characteristic, isSingle: isSingle) {
            do {
                guard isSubscribed(characteristic) else { throw CancellationError() }
                try update(path(of: characteristic, for: next.value), to: next.value)
            } catch {
                indications.drop(of: characteristic)
                continue
            }
            startTimer(of: next.id, characteristic)
            return
        }
    }

    private func startTimer(of id: Int, _ characteristic: AttributeID) {
        confirmationTimers[characteristic]?.deadline.cancel()
        // Cancelled by the next value, and with the publication.
        let limit = recovery.confirmationLimit
        let deadline = Deadline(after: limit, on: recovery.clock, of: self) {
            $0.expire(id, of: characteristic)
        }
        confirmationTimers[characteristic] = (recovery.stopwatch(), deadline)
    }

    private func expire(_ id: Int, of characteristic: AttributeID) {
        indications.expire(id, of: characteristic)
        indicateNext(of: characteristic)
        didConfirmAny()
    }

    /// bluetoothd says that a value was confirmed, or is done with.
    ///
    /// When the connection is lost, it signals that first; what else it has signalled by now is handled
    /// before this counts.
    func didConfirm(_ characteristic: AttributeID) {
        guard let id = indications.outstanding(of: characteristic) else {
            indications.didConfirmLate(characteristic)
            return didConfirmAny()
        }
        // bluetoothd says the same when the time is over, which it measures from a little later on.
        if let timer = confirmationTimers[characteristic],
            timer.elapsed() >= recovery.confirmationLimit
        {
            return expire(id, of: characteristic)
        }
        indications.willSettle(characteristic)
        let message = Message.property("Powered", of: Adapter1.interface, at: adapterPath)
        connection.request(message, logger) { [weak self] _ in
            self?.assumeIsolated { $0.didSettle(id, of: characteristic) }
        }
    }

    private func didSettle(_ id: Int, of characteristic: AttributeID) {
        guard indications.outstanding(of: characteristic) == id else { return }
        indications.end(of: characteristic)
        indicateNext(of: characteristic)
        didConfirmAny()
    }

    /// Whether anybody has subscribed to a characteristic.
    ///
    /// Who has a socket may have asked for indications: bluetoothd asks for one, too, and does not say which of the two it is.
    /// Source: BlueZ, src/gatt-database.c, `ccc_write_cb`.
    func isSubscribed(_ characteristic: AttributeID) -> Bool {
        subscribed.contains(characteristic) || socketless[characteristic] != nil
            || sockets.contains { $0.characteristic == characteristic }
    }

    /// Nobody has subscribed to a characteristic any longer.
    func didUnsubscribe(_ characteristic: AttributeID) {
        indications.didUnsubscribe(characteristic)
        indicateNext(of: characteristic)
        didConfirmAny()
    }

    // MARK: - Withdrawing

    /// Waits for the confirmations of what was indicated, and ends the connections of those who do not confirm.
    ///
    /// Once an application has gone, bluetoothd (5.66 to 5.87) uses what it has freed when one of its values is confirmed, or is lost with
    /// its connection, and may die of that. Source: BlueZ, src/gatt-database.c, `conf_cb`.
    func settleIndications() async {
        guard await !isConfirmed(within: recovery.withdrawalLimit), !centrals.isEmpty else {
            return
        }
        logger.notice(
            "\(centrals.count) centrals lose their connections: a value was not confirmed"
        )
        await waitForReplies(to: centrals.keys.map { send(Device1(path: $0).disconnect) })
        // bluetoothd says that of what was lost, too, after the connection's end.
        _ = await isConfirmed(within: recovery.withdrawalLimit)
    }

    private func isConfirmed(within limit: Duration) async -> Bool {
        guard awaitsConfirmation else { return true }
        let (id, confirmation) = confirmationWaits.add()
        let deadline = Deadline(after: limit, on: recovery.clock, of: self) { _ in
            confirmation.fulfil()
        }
        // Fails when the publication ends meanwhile.
        try? await confirmation.wait()
        deadline.cancel()
        confirmationWaits.remove(id)
        return !awaitsConfirmation
    }

    /// Whether a confirmation may come yet, of a value that a subscriber can only have been indicated.
    private var awaitsConfirmation: Bool {
        !hasEnded
            && indications.unconfirmed.contains { characteristic in
                services[characteristic]?.properties.contains(.notify) == false
            }
    }

    private func didConfirmAny() {
        if !awaitsConfirmation { confirmationWaits.fulfilAll() }
    }

    /// How many devices are connected that may have subscribed.
    private var connectedCount: Int {
        let others = adapter?.assumeIsolated { $0.connectedDevices } ?? []
        return others.union(centrals.keys).count
    }
}
