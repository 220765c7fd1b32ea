internal import BLE
internal import BLESession
internal import Logging

// Being called: the service is published, and again after the radio or the system has lost it.
extension Messenger {
    /// Until cancelled.
    func keepServing(within limit: Duration?) async {
        var told: ChatError?
        do {
            told = await reportUnlessOn()
            try await waitForRadio(limit)
            told = nil
            try await serve()
        } catch {
            guard !(error is CancellationError) else { return await becomeUnready(nil) }
            let failure = ChatError("publishing '\(name)'", failedWith: error)
            await becomeUnready(failure, isNews: failure.code != told?.code)
            // Whoever starts it is told; it is not tried again.
            guard starting == nil else { return failStart(failure) }
            await serveAgain(after: failure)
        }
    }

    /// Says at once that the radio is waited for.
    ///
    /// - Returns: what was reported; `nil` when the radio is on.
    private func reportUnlessOn() async -> ChatError? {
        guard let failure = Self.failure(in: await radio.state) else { return nil }
        report(.becameUnready(failure))
        return failure
    }

    private func waitForRadio(_ limit: Duration?) async throws {
        try await radioSession.waitUntilOn(for: limit)
        if let failure = Self.failure(in: await radio.state) { throw failure }
    }

    private static func failure(in state: RadioState) -> ChatError? {
        switch state {
        case .on: nil
        case .off: ChatError(.bluetoothOff, "Bluetooth is off: nobody can call")
        case .absent: ChatError(.bluetoothAbsent, "Bluetooth is not there: nobody can call")
        }
    }

    /// The radio does not come back to this process, as when the system's bus has ended.
    static func closed(_ cause: ChatError?) -> ChatError {
        ChatError(.bluetoothAbsent, "the radio was closed for good", underlying: cause)
    }

    private func failStart(_ failure: ChatError) {
        starting?.fail(failure)
        starting = nil
    }

    private func serveAgain(after failure: ChatError) async {
        var last: ChatError? = failure
        while !Task.isCancelled {
            do {
                try await clock.sleep(for: timeouts.retry)
                guard try await radioSession.waitUntilOn(for: nil) else {
                    let failure = Self.closed(last)
                    ending = failure
                    return ends.end(throwing: failure)
                }
                try await serve()
            } catch is CancellationError {
                return await becomeUnready(nil)
            } catch {
                let failure = ChatError("publishing '\(name)'", failedWith: error)
                let isNews = isReady || failure.code != last?.code
                await becomeUnready(failure, isNews: isNews)
                last = failure
            }
        }
    }

    /// Publishes the service, until that ends.
    private func serve() async throws {
        let number = nextPublicationNumber()
        let end = PublishedChat(number: number)
        publication = end
        let advertisement = Advertisement(
            localName: name.advertised,
            serviceUUIDs: [ChatService.uuid]
        )
        let description = ChatService.description(hasSessions: !isOriginal)
        let made = try await withTimeLimit(timeouts.radio, on: clock) { [radio] in
            try await radio.publish(
                description,
                advertising: nil,
                responder: ChatResponder(self, number)
            )
        }
        guard let made else { throw timedOut("publishing the service") }
        publication?.publication = made
        let advertising = try await withTimeLimit(timeouts.radio, on: clock) { [radio] in
            try await radio.advertise(advertisement)
        }
        guard let advertising else { throw timedOut("advertising") }
        publication?.advertising = advertising
        await updateAdvertising()
        isReady = true
        starting?.fulfil()
        starting = nil
        report(.becameReady)
        let watching = executor.task(of: self) { [end = end.end] messenger in
            await messenger.watch(advertising, end)
        }
        defer { watching.cancel() }
        try await end.end.wait()
    }

    private func timedOut(_ attempt: String) -> ChatError {
        ChatError(.timedOut, "\(attempt) took longer than \(timeouts.radio.inUnits)")
    }

    /// Ends the publication with its advertisement, or when the radio is off.
    private func watch(_ advertising: any Advertising, _ end: Promise<Void>) async {
        let states = executor.task(of: self) { messenger in
            for await state in await messenger.radio.states() where state != .on {
                guard !Task.isCancelled else { return }
                end.fail(
                    ChatError(
                        state == .off ? .bluetoothOff : .bluetoothAbsent,
                        "Bluetooth is \(state == .off ? "off" : "not there")"
                    )
                )
            }
        }
        defer { states.cancel() }
        do {
            try await withTaskCancellationHandler {
                try await advertising.waitUntilEnded()
            } onCancel: {
                states.cancel()
            }
            // It is stopped by nobody as long as this waits: the radio was closed.
            end.fail(ChatError(.bluetoothAbsent, "Bluetooth is not there"))
        } catch is CancellationError {
            return
        } catch {
            end.fail(error)
        }
    }

    /// Has no publication any more.
    private func becomeUnready(_ failure: ChatError?, isNews: Bool = true) async {
        let ended = publication
        publication = nil
        carryOut(callee.handle(.ended), because: failure)
        for central in callingDevices.keys { endSessions(of: central) }
        if isReady {
            isReady = false
            if failure == nil { report(.becameUnready(ChatError(.notReady, "it was stopped"))) }
        }
        if let failure, isNews { report(.becameUnready(failure)) }
        // Also when this task has been cancelled.
        await Task {
            await ended?.advertising?.stop()
            await ended?.publication?.withdraw()
        }.value
    }

    // MARK: - What comes of the publication

    func didPublish(_ publication: any Publication, _ number: Int) {
        if self.publication?.number == number { self.publication?.publication = publication }
    }

    func handle(_ event: PublicationEvent, of number: Int) {
        guard publication?.number == number else { return }
        switch event {
        case .connected(let central): carryOut(callee.handle(.connected(central)))
        case .disconnected(let central):
            carryOut(callee.handle(.disconnected(central)))
            endSessions(of: central)
        case .subscribed(ChatService.toCaller, let central):
            carryOut(callee.handle(.subscribed(central)))
        case .unsubscribed(ChatService.toCaller, let central):
            carryOut(callee.handle(.unsubscribed(central)))
        // Sessions send again what was lost; an original writes with a response.
        case .subscribed, .unsubscribed, .individualNotificationsEnded, .mtuChanged, .lostWrites:
            break
        case .ended(let error): publication?.end.fail(error)
        }
    }

    /// Takes a text of a central.
    func receive(
        _ value: [UInt8],
        _ request: GATTRequest,
        _ number: Int
    ) throws(ATTError) {
        guard publication?.number == number else { throw .unlikelyError }
        let (verdict, actions) = callee.receiveText(of: request.central)
        carryOut(actions)
        switch verdict {
        case .busy: throw .busy
        case .notSubscribed: throw .notSubscribed
        case .deliver: break
        }
        // The chat may be over here, and the connection not yet.
        guard chatting?.chat.peer == request.central else { throw .notSubscribed }
        chatting?.calleeMTUBytes = request.mtuBytes
        guard receive(value, of: request.central) else { throw .invalidText }
    }

    func carryOut(_ actions: [Callee.Action], because failure: ChatError? = nil) {
        for action in actions {
            switch action {
            case .begin(let peer): beginIncoming(peer)
            case .end(let peer): endIncoming(peer, failure)
            case .disconnect(let peer):
                disconnect(peer)
                report(.refusedCaller(peer))
            }
        }
        changeAdvertising()
    }

    /// Is advertised, or not, as it is to be now.
    func changeAdvertising() {
        guard let publication, publication.isAdvertising != mayBeCalled else { return }
        Task(executorPreference: executor) { [weak self] in await self?.updateAdvertising() }
    }

    /// Whether no chat is on: whoever calls may be called meanwhile, by the one who is called, too.
    private var mayBeCalled: Bool { chatting == nil && callee.isFree }

    /// Ends a central's connection; it comes back as it likes.
    func disconnect(_ peer: PeerID) {
        guard let publication = publication?.publication else { return }
        logger.info("\(peer) is disconnected")
        executor.task(of: self) { messenger in
            do {
                try await publication.disconnect(peer)
            } catch {
                messenger.logger.info("disconnecting \(peer) failed: \(error)")
            }
        }
    }

    /// Advertises while no chat is on.
    func updateAdvertising() async {
        guard let number = publication?.number, let advertising = publication?.advertising,
            publication?.isUpdating == false
        else { return }
        publication?.isUpdating = true
        while publication?.number == number, publication?.isAdvertising != mayBeCalled {
            let isFree = mayBeCalled
            publication?.isAdvertising = isFree
            do {
                if isFree { try await advertising.resume() } else { try await advertising.pause() }
            } catch {
                // Its end is told by itself; where there is no room now it is tried again with the next change.
                logger.info("\(isFree ? "resuming" : "pausing") the advertisement failed: \(error)")
            }
        }
        if publication?.number == number { publication?.isUpdating = false }
    }
}

// Source: Docs/Wire.md, BlueChat. bluetoothd 5.66 makes 0x0E of most others.
extension ATTError {
    /// Whoever writes a text has not subscribed.
    static let notSubscribed = ATTError(rawValue: 0x91)
    /// What was written is no UTF-8.
    static let invalidText = ATTError(rawValue: 0x92)
    /// Another chat is on.
    static let busy = ATTError(rawValue: 0x93)
    /// A session is over, or there is no room for it.
    static let noSession = ATTError(rawValue: 0x94)
}
