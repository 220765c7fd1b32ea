internal import BLE
internal import BLEDBus
internal import Logging

/// Services that bluetoothd serves, and advertises if that is wanted, in this program's name.
///
/// Source: BlueZ, doc/org.bluez.GattManager.rst.
actor PublishedServices: Publication {
    private enum State {
        case registering
        case published
        case ended(RadioError)
    }

    nonisolated let connection: Connection
    nonisolated let logger: Logger
    nonisolated let adapterPath: ObjectPath
    nonisolated let recovery: Recovery
    nonisolated let services: [GATTService]
    nonisolated let application: ExportedApplication
    /// What is advertised as long as this is published.
    private nonisolated let advertisement: PublishedAdvertisement?
    /// bluetoothd's unique name: nobody else may call.
    nonisolated let daemon: String
    /// Who the device at a path is.
    nonisolated let identify: @Sendable (ObjectPath) -> PeerID

    private var state = State.registering
    /// Calls and signals come through the adapter, so a publication keeps it open.
    private(set) var adapter: Adapter?
    nonisolated let responder: ResponderQueue
    var updates = UpdateQueue()
    /// Who tells values to all, one after the other.
    var updateTurns = Turns()
    /// Who waits until more values may be on their way to bluetoothd.
    var roomWaits = Waits<Void>()
    private var waits = Waits<Message>()
    var centrals: [ObjectPath: PeerID] = [:]
    /// The MTUs of the connections to centrals that have sent a request.
    var requestMTUs: [ObjectPath: Int] = [:]
    /// Those that were told.
    var reportedMTUs: [ObjectPath: Int] = [:]
    /// Centrals whose links are being ended from here.
    var disconnecting: Set<ObjectPath> = []
    private var isApplicationSent = false
    /// Those that bluetoothd was asked for; `nil` where it chose.
    private var handles: ServiceHandles?
    /// What is asked for now is refused; what waits is replied to before the services go.
    private(set) var isWithdrawing = false
    /// What bluetoothd was called with to withdraw it.
    private var withdrawalCalls: [SentCall] = []
    /// Waits for bluetoothd's confirmation, which several calls may want.
    private var confirmation: Task<Void, Never>?
    /// Characteristics that somebody has subscribed to.
    var subscribed: Set<AttributeID> = []
    var indications = Indications()
    /// Who waits until nothing that was indicated may be confirmed yet.
    var confirmationWaits = Waits<Void>()
    /// How long ago the outstanding value of each characteristic was indicated, and what ends its time.
    var confirmationTimers: [AttributeID: (elapsed: @Sendable () -> Duration, deadline: Deadline)] =
        [:]
    /// Sockets of centrals that have subscribed.
    var sockets: [CentralSocket] = []
    /// Those of which bluetoothd has closed the socket, and who stay subscribed.
    var socketless: [AttributeID: Set<ObjectPath>] = [:]
    /// How many links have ended while there were such sockets, and after how many of them bluetoothd may still close some.
    var disconnectionCount = 0
    var unsettledCount = 0
    /// Whether there are such sockets.
    nonisolated let hasSockets: Bool

    nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

    init(
        _ services: [GATTService],
        advertising advertisement: PublishedAdvertisement?,
        hasSockets: Bool,
        number: Int,
        handles: ServiceHandles?,
        on adapter: Adapter,
        daemon: String,
        responder: any GATTResponder,
        identify: @escaping @Sendable (ObjectPath) -> PeerID
    ) {
        self.services = services
        self.advertisement = advertisement
        self.hasSockets = hasSockets
        self.handles = handles
        self.adapter = adapter
        self.daemon = daemon
        self.identify = identify
        connection = adapter.connection
        logger = adapter.logger
        adapterPath = adapter.path
        recovery = adapter.recovery
        application = ExportedApplication(services, hasSockets: hasSockets, number: number)
        self.responder = ResponderQueue(responder, adapter.recovery, adapter.executor)
        // Ends with the responder's queue, which ends with the publication.
        Task(executorPreference: adapter.executor) {
            [weak self, replies = self.responder.replies] in
            for await _ in replies { await self?.didReplyToWrite() }
        }
    }

    var hasEnded: Bool {
        if case .ended = state { true } else { false }
    }

    /// Whether it has ended, and nothing is left of it at bluetoothd.
    var isOver: Bool { hasEnded && advertisement?.assumeIsolated { $0.isOver } != false }

    /// The services, for people.
    nonisolated var names: String {
        let uuids = services.map { "\($0.uuid)" }.joined(separator: ", ")
        return services.count == 1 ? "the service \(uuids)" : "the services \(uuids)"
    }

    // MARK: - Registering

    /// Exports the objects and registers them; takes all back when that fails.
    func publish() async throws {
        responder.add(self)
        do {
            try await register()
            try await advertise()
            try checkNotEnded()
        } catch {
            // What was refused is not registered.
            if error is ErrorReply { isApplicationSent = false }
            for message in takeBack() { connection.request(message, logger) { _ in } }
            if !hasEnded { finish(RadioError(.withdrawn, "publishing failed"), reporting: nil) }
            throw BlueZError.translate(
                error,
                for: .publish,
                "publishing \(names) on \(adapterPath.lastComponent)"
            )
        }
        state = .published
        logger.debug("published \(names) at \(application.root)")
    }

    /// Registers the objects with the handles that are asked for, else with any.
    private func register() async throws {
        let call = GattManager1(path: adapterPath).registerApplication(application.root)
        try export()
        isApplicationSent = true
        do {
            try await self.call(call)
        } catch let error as ErrorReply where error.name == BlueZError.failed {
            guard handles != nil else { throw error }
            logger.debug("the handles that were asked for are not to be had: \(error)")
            handles = nil
            try unexport()
            try export()
            try await self.call(call)
        }
    }

    private func advertise() async throws {
        guard let advertisement else { return }
        await advertisement.whenEnded { [weak self] error in
            self?.assumeIsolated { $0.didEndAdvertisement(error) }
        }
        try await advertisement.start()
    }

    private func export() throws {
        try connection.assumeIsolated { [handles] connection in
            try application.export(on: connection, handles) { [weak self] id, operation, call in
                self?.assumeIsolated { $0.handle(operation, of: id, call) }
            }
        }
    }

    private func unexport() throws {
        try connection.assumeIsolated { try application.unexport(on: $0) }
    }

    func call(_ message: Message) async throws {
        try checkNotEnded()
        let (id, reply) = waits.add()
        defer { waits.remove(id) }
        connection.request(message, logger) { reply.fulfil($0) }
        _ = try await reply.wait()
    }

    /// Takes the objects back.
    ///
    /// - Returns: what to call at bluetoothd; it takes calls in their order, so also while it has not
    ///   replied to what they undo. An advertisement that is being registered follows by itself.
    func takeBack() -> [Message] {
        do {
            try unexport()
        } catch {
            logger.debug("unexporting \(application.root) failed: \(error)")
        }
        var messages = advertisement?.assumeIsolated { $0.takeBack() } ?? []
        if isApplicationSent {
            let manager = GattManager1(path: adapterPath)
            messages.append(manager.unregisterApplication(application.root))
        }
        return messages
    }

    // MARK: - End

    func withdraw() async {
        let isResponder = responder.isCalling
        // In a task of its own, as also who was cancelled wants this to be done.
        await Task {
            if !hasEnded, !isResponder { await replyToAll() }
            if !hasEnded {
                withdrawalCalls += takeBack().map(send)
                let reason = "the publication of \(names) was withdrawn"
                finish(RadioError(.withdrawn, reason), reporting: nil)
                confirmation = Task { await waitForReplies(to: withdrawalCalls) }
            }
            await confirmation?.value
            await advertisement?.waitUntilTakenBack()
        }.value
    }

    /// Replies to what centrals wait for, tells the values that are to be told after that, and waits for confirmations.
    ///
    /// A central whose write is under way when its service goes is told that it failed, though it was served. Nobody is to
    /// find the service meanwhile.
    private func replyToAll() async {
        isWithdrawing = true
        takeAdvertisementBack()
        do {
            try await responder.promiseReplies().wait()
            while updates.isHolding { try await waitForRoom() }
            await settleIndications()
        } catch {
            logger.debug("the publication of \(names) ended while it was withdrawn: \(error)")
        }
    }

    private func takeAdvertisementBack() {
        let messages = advertisement?.assumeIsolated { $0.takeBack() } ?? []
        withdrawalCalls += messages.map(send)
    }

    /// A call of bluetoothd, and the wait for its reply.
    typealias SentCall = (description: String, wait: Int, reply: Promise<Message>)

    func send(_ message: Message) -> SentCall {
        let (id, reply) = waits.add()
        connection.request(message, logger) { reply.fulfil($0) }
        return (message.callDescription, id, reply)
    }

    func waitForReplies(to calls: [SentCall]) async {
        for (description, wait, reply) in calls {
            do {
                _ = try await reply.wait()
            } catch {
                logger.debug("\(description) failed: \(error)")
            }
            waits.remove(wait)
        }
    }

    /// The publication can no longer go on.
    func end(_ error: RadioError) {
        // Also who waits for the confirmation that it was withdrawn.
        waits.failAll(error)
        switch state {
        case .registering:
            // The end is reported, and the publication withdrawn.
            finish(error, reporting: nil)
        case .published:
            _ = takeBack()
            let reason = "the publication ended: \(error)"
            finish(RadioError(.withdrawn, reason, underlying: error), reporting: error)
        case .ended:
            break
        }
    }

    /// bluetoothd no longer advertises: mostly as the adapter or it itself goes.
    private func didEndAdvertisement(_ error: RadioError) {
        for message in takeBack() { connection.request(message, logger) { _ in } }
        end(RadioError(error.code, "\(error) of \(names)", underlying: error.underlying))
    }

    func checkNotEnded() throws(RadioError) {
        if case .ended(let error) = state { throw error }
    }

    private func finish(_ reason: RadioError, reporting error: RadioError?) {
        state = .ended(reason)
        indications.failAll(reason)
        roomWaits.failAll(reason)
        confirmationWaits.failAll(reason)
        for timer in confirmationTimers.values { timer.deadline.cancel() }
        confirmationTimers = [:]
        closeSockets()
        advertisement?.assumeIsolated { $0.close(reason) }
        responder.finish(error)
        adapter = nil
        logger.log(level: error == nil ? .debug : .notice, "\(reason)")
    }
}
