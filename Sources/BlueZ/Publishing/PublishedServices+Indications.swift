internal import BLE
internal import BLEDBus

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
        while let next = indications.next(of: characteristic, isSingle: isSingle) {
            do {
                guard subscribed.contains(characteristic) else { throw CancellationError() }
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
    }

    /// bluetoothd says that a value was confirmed, or is done with.
    ///
    /// When the connection is lost, it signals that first; what else it has signalled by now is handled
    /// before this counts.
    func didConfirm(_ characteristic: AttributeID) {
        guard let id = indications.outstanding(of: characteristic) else {
            return indications.didConfirmLate(characteristic)
        }
        // bluetoothd says the same when the time is over, which it measures from a little later on.
        if let timer = confirmationTimers[characteristic],
            timer.elapsed() >= recovery.confirmationLimit
        {
            return expire(id, of: characteristic)
        }
        let message = Message.property("Powered", of: Adapter1.interface, at: adapterPath)
        connection.request(message, logger) { [weak self] _ in
            self?.assumeIsolated { $0.didSettle(id, of: characteristic) }
        }
    }

    private func didSettle(_ id: Int, of characteristic: AttributeID) {
        guard indications.outstanding(of: characteristic) == id else { return }
        indications.end(of: characteristic)
        indicateNext(of: characteristic)
    }

    /// Nobody has subscribed to a characteristic any longer.
    func didUnsubscribe(_ characteristic: AttributeID) {
        indications.didUnsubscribe(characteristic)
        indicateNext(of: characteristic)
    }

    /// How many devices are connected that may have subscribed.
    private var connectedCount: Int {
        let others = adapter?.assumeIsolated { $0.connectedDevices } ?? []
        return others.union(centrals.keys).count
    }
}
