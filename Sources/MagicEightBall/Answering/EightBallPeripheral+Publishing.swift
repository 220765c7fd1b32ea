internal import BLE
internal import BLESession
internal import Logging

// Publishing: the service is shown, and shown again when the radio comes back.
extension EightBallPeripheral {
    /// Publishes the service, within the limit.
    func publish() async throws {
        let advertisement = Advertisement(
            localName: localName,
            serviceUUIDs: [EightBallService.uuid]
        )
        guard !localName.isEmpty else {
            throw EightBallError(.invalidName, "a ball needs a name to be found")
        }
        try advertisement.validate()
        let session = session.number
        let number = nextNumber()
        publication = .publishing(number, ended: nil)
        publishingCount += 1
        defer {
            publishingCount -= 1
            notifyWaits()
        }
        let made: any Publication
        do {
            made = try await publish(advertisement, as: number)
        } catch {
            if publication.number == number { abandonPublication(because: error) }
            throw error
        }
        guard session != nil, self.session.number == session,
            case .publishing(number, let ended) = publication
        else {
            await Task { await withdraw(made) }.value
            throw EightBallError(.stopped, "'\(localName)' was stopped while it was published")
        }
        if let ended {
            abandonPublication(because: ended)
            throw ended
        }
        guard !Task.isCancelled else {
            abandonPublication(because: CancellationError())
            await Task { await withdraw(made) }.value
            throw CancellationError()
        }
        publication = .published(number, made)
        report(.startedAdvertising)
        // The radio went off just then.
        if watching != nil, reportedState == .off { suspend() }
    }

    /// The service is not published after all; requests may have come.
    private func abandonPublication(because cause: any Error) {
        let failure = EightBallError("publishing '\(localName)'", at: .radio, failedWith: cause)
        endPublication(because: failure, reported: nil)
    }

    private func publish(
        _ advertisement: Advertisement,
        as number: Int
    ) async throws -> any Publication {
        let publication = try await withTimeLimit(timeouts.radio, on: clock) {
            [radio, servesFirstSeries] in
            try await radio.publish(
                servesFirstSeries
                    ? EightBallService.firstSeriesDescription : EightBallService.description,
                advertising: advertisement,
                options: servesFirstSeries ? .lostRefusals : [],
                responder: Responder(ball: self, publication: number)
            )
        }
        guard let publication else {
            let attempt = "publishing '\(localName)'"
            throw EightBallError(attempt, at: .radio, tookLongerThan: timeouts.radio)
        }
        return publication
    }

    /// Ends a publication; waits for that within the limit, though a radio withdraws it also for who is cancelled.
    func withdraw(_ publication: any Publication) async {
        let withdrawn = Promise<Void>()
        Task {
            await publication.withdraw()
            withdrawn.fulfil()
        }
        do {
            _ = try await withTimeLimit(timeouts.radio, on: clock) { try await withdrawn.wait() }
        } catch {
            // Cancelled: the publication ends with the radio.
        }
    }

    /// Has no publication any more, and reports so.
    ///
    /// - Returns: the publication, to be withdrawn; `nil` if there was none.
    @discardableResult
    func endPublication(
        because failure: EightBallError,
        reported: EightBallError?
    ) -> (any Publication)? {
        endLinks(because: failure)
        let ended = publication
        publication = .none
        if ended.isPublished { report(.stoppedAdvertising(reported)) }
        return ended.current
    }

    /// The publication ended by itself; it is made again as soon as the radio is on.
    func publicationEnded(_ cause: RadioError) {
        if case .publishing(let number, _) = publication {
            publication = .publishing(number, ended: cause)
            return
        }
        let attempt = "the service of '\(localName)'"
        let failure = EightBallError(attempt, at: .radio, failedWith: cause)
        // When the radio is off, that was reported.
        let isNews = publication.isPublished
        if isNews { error = failure }
        endPublication(because: failure, reported: failure)
        if isNews { fail(failure) }
        guard case .running = session else { return }
        restoring?.cancel()
        restoring = executor.task(of: self) { await $0.restore(after: failure) }
    }

    /// Reports the radio's state until cancelled; stops when the radio is closed for good.
    func watchRadio() async {
        let isClosed = await radioSession.watch(since: reportedState) { state in
            reportedState = state
            report(.radioBecame(state))
            state == .on ? resume() : suspend()
        }
        guard isClosed else { return }
        let failure = EightBallError(
            .stopped,
            "'\(localName)' was stopped: the radio was closed"
        )
        fail(failure)
        runs.end(throwing: failure)
        await stop()
    }

    /// The radio went off; it may keep the service until it is on again, else ``publicationEnded(_:)`` follows.
    private func suspend() {
        guard reportedState == .off, case .published(let number, let current) = publication else {
            return
        }
        let failure = EightBallError(.radioOff, "'\(localName)' cannot be asked: the radio is off")
        endLinks(because: failure)
        publication = .suspended(number, current)
        error = failure
        report(.stoppedAdvertising(failure))
        fail(failure)
    }

    private func resume() {
        guard case .suspended(let number, let current) = publication else { return }
        publication = .published(number, current)
        report(.startedAdvertising)
    }

    private func endLinks(because failure: EightBallError) {
        for peer in order { leave(peer, because: failure) }
        subscribed = []
    }

    private func restore(after failure: EightBallError) async {
        do {
            try await radioSession.restore(lastReported: failure.code) {
                try await publish()
            } failure: {
                let failure = EightBallError("restoring", at: .radio, failedWith: $0)
                logger.info("advertising again failed, and is tried again: \(failure)")
                return failure
            } report: {
                fail($0)
            }
        } catch {
            // Cancelled: the ball was stopped.
        }
    }

    /// Reports that the radio failed.
    func fail(_ failure: EightBallError) {
        error = failure
        report(.failed(failure))
    }
}
