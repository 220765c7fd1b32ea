internal import BLE
internal import BLEDBus
internal import Logging

/// An advertisement that bluetoothd sends in this program's name.
///
/// Source: BlueZ, doc/org.bluez.LEAdvertisingManager.rst, doc/org.bluez.LEAdvertisement.rst.
actor PublishedAdvertisement: Advertising {
    private enum State {
        case paused
        /// A change is under way.
        case changing
        case advertising
        /// Why nothing more can be done with it, and how that is reported; `nil` after `stop`.
        case ended(RadioError, RadioError?)
    }

    private nonisolated let connection: Connection
    private nonisolated let logger: Logger
    private nonisolated let adapterPath: ObjectPath
    /// bluetoothd's unique name: nobody else may call.
    private nonisolated let daemon: String
    private nonisolated let path: ObjectPath
    /// How many advertisements there are, for people.
    private nonisolated let count: @Sendable () -> String

    private var state = State.paused
    private var content: Advertisement
    private var isExported = false
    private var isSent = false
    /// Whether bluetoothd has not replied to the registration.
    ///
    /// Until then it is not asked to undo it: before 5.73 it
    /// forgets that a command of its own is under way, and dies of the result.
    private var isRegistering = false
    /// Whether bluetoothd has yet to undo the registration.
    private var mustTakeBack = false
    private(set) var takingBackWaits: [Promise<Void>] = []
    private var waits = Waits<Message>()
    private var ends: [Promise<Void>] = []
    /// Called on the loop when bluetoothd has ended it.
    private var onEnd: @Sendable (RadioError) -> Void = { _ in }
    /// Calls come through the adapter, so an advertisement keeps it open.
    private var adapter: Adapter?

    nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

    init(_ content: Advertisement, number: Int, on adapter: Adapter, daemon: String) {
        self.content = content
        self.adapter = adapter
        self.daemon = daemon
        connection = adapter.connection
        logger = adapter.logger
        adapterPath = adapter.path
        do {
            path = try ObjectPath("/ble").appending("advertisement\(number)")
        } catch {
            preconditionFailure("\(error)")
        }
        count = { [weak adapter] in adapter?.assumeIsolated { $0.advertisementCount } ?? "" }
    }

    var hasEnded: Bool {
        if case .ended = state { true } else { false }
    }

    /// Whether it has ended, and nothing is left of it at bluetoothd.
    var isOver: Bool { hasEnded && !isRegistering && !mustTakeBack }

    func whenEnded(_ onEnd: @escaping @Sendable (RadioError) -> Void) {
        self.onEnd = onEnd
    }

    // MARK: - Advertising

    func update(_ advertisement: Advertisement) async throws {
        try advertisement.validate()
        switch state {
        case .ended(let reason, _): throw reason
        case .changing: throw busy
        case .paused: content = advertisement
        case .advertising:
            state = .changing
            let former = content
            await takeOffAir()
            content = advertisement
            do {
                try await start()
            } catch {
                // Also for who is cancelled.
                await Task { await restore(former) }.value
                throw error
            }
        }
    }

    /// Advertises again what could not be replaced; it stays paused when that fails too.
    private func restore(_ former: Advertisement) async {
        content = former
        await waitUntilTakenBack()
        guard case .paused = state else { return }
        do {
            try await start()
        } catch {
            logger.notice("what was advertised before could not be advertised again: \(error)")
        }
    }

    func pause() async throws {
        switch state {
        case .ended(let reason, _): throw reason
        case .changing: throw busy
        case .paused: return
        case .advertising:
            state = .changing
            await takeOffAir()
            if case .changing = state { state = .paused }
        }
    }

    func resume() async throws {
        switch state {
        case .ended(let reason, _): throw reason
        case .changing: throw busy
        case .advertising: return
        case .paused: try await start()
        }
    }

    private var busy: RadioError {
        RadioError(.busy, "changing an advertisement: that is being done already")
    }

    /// Registers it; takes it back when that fails.
    func start() async throws {
        if case .ended(let reason, _) = state { throw reason }
        state = .changing
        do {
            // bluetoothd may be registering it still for a call that was cancelled.
            await waitUntilTakenBack()
            try Task.checkCancellation()
            if case .ended(let reason, _) = state { throw reason }
            try export()
            isSent = true
            isRegistering = true
            let (id, reply) = waits.add()
            defer { waits.remove(id) }
            let message = LEAdvertisingManager1(path: adapterPath).registerAdvertisement(path)
            connection.request(message, logger) { result in
                self.assumeIsolated { $0.didRegister(result) }
                reply.fulfil(result)
            }
            _ = try await reply.wait()
            if case .ended(let reason, _) = state { throw reason }
        } catch {
            for message in takeBack() { connection.request(message, logger) { _ in } }
            if case .changing = state { state = .paused }
            throw limitReached(
                BlueZError.translate(
                    error,
                    for: .publish,
                    "advertising on \(adapterPath.lastComponent)"
                )
            )
        }
        state = .advertising
    }

    /// Says how many there are, when that is why one was refused.
    private func limitReached(_ error: any Error) -> any Error {
        guard let error = error as? RadioError, error.code == .limitReached else { return error }
        return RadioError(error.code, error.message + count(), underlying: error.underlying)
    }

    private func export() throws {
        guard !isExported else { return }
        isExported = true
        try connection.assumeIsolated { [content] connection in
            let exported = LEAdvertisement1.exported(content) { [weak self] call in
                self?.assumeIsolated { $0.release(call) }
            }
            try connection.export([exported], at: path)
            connection.exportObjectManager(at: path)
        }
    }

    private func call(_ message: Message) async throws {
        let (id, reply) = waits.add()
        defer { waits.remove(id) }
        connection.request(message, logger) { reply.fulfil($0) }
        _ = try await reply.wait()
    }

    /// Takes it off the air, and waits for bluetoothd's confirmation; also for who is cancelled.
    private func takeOffAir() async {
        unregister()
        await Task { await waitUntilTakenBack() }.value
    }

    /// Takes it off the air; while bluetoothd registers it, as soon as that is done.
    private func unregister() {
        let messages = takeBack()
        guard !messages.isEmpty else { return }
        mustTakeBack = true
        Task {
            for message in messages {
                do {
                    try await call(message)
                } catch {
                    logger.debug("\(message.callDescription) failed: \(error)")
                }
            }
            didTakeBack()
        }
    }

    private func didRegister(_ result: Result<Message, any Error>) {
        isRegistering = false
        // What was refused is not registered.
        if case .failure(let error) = result, error is ErrorReply { isSent = false }
        let messages = mustTakeBack ? takeBack() : []
        guard !messages.isEmpty else { return didTakeBack() }
        for message in messages {
            connection.request(message, logger) { _ in
                self.assumeIsolated { $0.didTakeBack() }
            }
        }
    }

    private func didTakeBack() {
        mustTakeBack = false
        for promise in takingBackWaits { promise.fulfil() }
        takingBackWaits = []
    }

    /// Waits, when it is being withdrawn, or is to be as soon as bluetoothd has replied to its registration, until it is.
    func waitUntilTakenBack() async {
        guard mustTakeBack else { return }
        let promise = Promise<Void>()
        takingBackWaits.append(promise)
        do {
            try await promise.wait()
        } catch {
            // It never fails; whoever is cancelled does not wait.
        }
    }

    /// Takes the object back; while bluetoothd registers it, as soon as that is done.
    ///
    /// - Returns: what to call at bluetoothd.
    func takeBack() -> [Message] {
        guard isExported else { return [] }
        guard !isRegistering else {
            mustTakeBack = true
            return []
        }
        isExported = false
        connection.assumeIsolated { connection in
            connection.unexportObjectManager(at: path)
            do {
                try connection.unexport(path)
            } catch {
                logger.debug("unexporting \(path) failed: \(error)")
            }
        }
        guard isSent else { return [] }
        isSent = false
        return [LEAdvertisingManager1(path: adapterPath).unregisterAdvertisement(path)]
    }

    // MARK: - End

    func stop() async {
        if !hasEnded {
            unregister()
            finish(RadioError(.withdrawn, "the advertisement was stopped"), reporting: nil)
        }
        // In a task of its own, as also who was cancelled wants this to be done.
        await Task { await waitUntilTakenBack() }.value
    }

    func waitUntilEnded() async throws {
        if case .ended(_, let error) = state {
            if let error { throw error }
            return
        }
        let promise = Promise<Void>()
        ends.append(promise)
        try await promise.wait()
    }

    /// It can no longer go on.
    func end(_ error: RadioError) {
        // Also who waits for the confirmation that it was stopped.
        waits.failAll(error)
        guard !hasEnded else { return }
        _ = takeBack()
        let reason = "the advertisement ended: \(error)"
        finish(RadioError(.withdrawn, reason, underlying: error), reporting: error)
    }

    /// The publication that it belongs to has ended, and says so itself.
    func close(_ reason: RadioError) {
        waits.failAll(reason)
        guard !hasEnded else { return }
        _ = takeBack()
        finish(reason, reporting: nil)
    }

    /// bluetoothd took it off the air, mostly as the adapter or it itself goes.
    private func release(_ call: MethodCall) {
        guard call.sender == daemon else {
            return call.fail(ErrorReply(.accessDenied, "only bluetoothd may call this"))
        }
        call.reply()
        guard !hasEnded else { return }
        isSent = false
        let error = RadioError(.absent, "bluetoothd ended the advertisement")
        end(error)
        onEnd(error)
    }

    private func finish(_ reason: RadioError, reporting error: RadioError?) {
        state = .ended(reason, error)
        for promise in ends {
            if let error { promise.fail(error) } else { promise.fulfil() }
        }
        ends = []
        adapter = nil
        logger.log(level: error == nil ? .debug : .notice, "\(reason)")
    }
}
