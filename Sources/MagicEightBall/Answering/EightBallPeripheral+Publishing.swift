internal import BLE

// Publishing: the service is shown, and shown again when the radio comes back.
extension EightBallPeripheral {
    /// Publishes the service, within the limit.
    func publish() async throws {
        let advertisement = Advertisement(
            localName: localName,
            serviceUUIDs: [EightBallService.uuid]
        )
        guard !localName.isEmpty else {
            throw EightBallError(.invalidName, "a ball without a name is found by nobody")
        }
        try advertisement.validate()
        let session = session
        let number = nextNumber()
        publicationNumber = number
        endedEarly = nil
        let publication = try await withTimeLimit(timeouts.radio, on: clock) { [radio] in
            try await radio.publish(
                EightBallService.description,
                advertising: advertisement,
                responder: BallResponder(ball: self, publication: number)
            )
        }
        guard let publication else {
            throw EightBallError(
                "publishing '\(localName)'",
                at: .radio,
                tookLongerThan: timeouts.radio
            )
        }
        guard session != nil, self.session == session else {
            await Task { await withdraw(publication) }.value
            throw EightBallError(.stopped, "'\(localName)' was stopped while it was published")
        }
        if let endedEarly { throw endedEarly }
        self.publication = publication
        observers.tell { await $0.peripheralDidStartAdvertising(self) }
    }

    /// Ends a publication, within the limit.
    func withdraw(_ publication: any Publication) async {
        do {
            _ = try await withTimeLimit(timeouts.radio, on: clock) {
                await publication.withdraw()
            }
        } catch {
            // Cancelled: the publication ends with the radio.
        }
    }

    /// Has no publication any more, and tells so.
    ///
    /// - Returns: the publication, to be withdrawn; `nil` if there was none.
    @discardableResult
    func endPublication(
        because failure: EightBallError,
        told: EightBallError?
    ) -> (any Publication)? {
        for peer in order { leave(peer, because: failure) }
        subscribed = []
        publicationNumber = nil
        guard let publication else { return nil }
        self.publication = nil
        observers.tell { await $0.peripheral(self, didStopAdvertisingBecause: told) }
        return publication
    }

    /// The publication ended by itself; it is made anew as soon as the radio is on.
    func publicationEnded(_ cause: RadioError) {
        guard session != nil else { return }
        guard publication != nil else {
            endedEarly = cause
            return
        }
        let attempt = "the service of '\(localName)'"
        let failure = EightBallError(attempt, at: .radio, failedWith: cause)
        endPublication(because: failure, told: failure)
        tell(failure)
        restoring?.cancel()
        restoring = Task { await self.restore(after: failure) }
    }

    /// Tells how the radio is, until cancelled; stops when the radio is closed for good.
    func watchRadio() async {
        for await state in await radio.states() where state != toldState {
            guard !Task.isCancelled else { return }
            toldState = state
            observers.tell { await $0.peripheral(self, radioDidBecome: state) }
        }
        guard !Task.isCancelled else { return }
        tell(EightBallError(.stopped, "'\(localName)' was stopped: the radio was closed"))
        await stop()
    }

    private func restore(after failure: EightBallError) async {
        var told = failure.code
        while !Task.isCancelled {
            do {
                try await clock.sleep(for: timeouts.retry)
                for await state in await radio.states() where state == .on { break }
                try Task.checkCancellation()
                return try await publish()
            } catch is CancellationError {
                return
            } catch {
                let failure = EightBallError("restoring", at: .radio, failedWith: error)
                // Each retry fails the same way; observers are told once.
                if told != failure.code, !Task.isCancelled { tell(failure) }
                told = failure.code
            }
        }
    }

    private func tell(_ failure: EightBallError) {
        error = failure
        observers.tell { await $0.peripheral(self, didFail: failure) }
    }
}
