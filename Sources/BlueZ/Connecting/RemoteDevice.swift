internal import BLE
internal import BLEDBus
internal import Logging

/// The connection to a remote device, over `Device1` and the GATT objects below it, for all the links
/// of this adapter to it.
///
/// It is gone with the first sign of that: `Connected` or `ServicesResolved` become false, its object
/// is removed, the adapter loses its power or is removed, bluetoothd or the bus are lost. All that
/// waits fails then, at once; bluetoothd may never reply.
///
/// Source: BlueZ, doc/org.bluez.Device.rst, doc/org.bluez.GattCharacteristic.rst.
actor RemoteDevice {
    enum State {
        case connecting
        case up
        /// `Disconnect` was called; the error that the end will be reported with.
        case leaving(RadioError?)
        case ended(RadioError)
    }

    nonisolated let peer: PeerID
    nonisolated let path: ObjectPath
    nonisolated let adapterPath: ObjectPath
    nonisolated let connection: Connection
    nonisolated let logger: Logger
    nonisolated let recovery: Recovery

    var state = State.connecting
    /// The links over this connection, and who has subscribed to what.
    var leases = Leases()
    /// Signals come through the adapter, so a link keeps it open.
    var adapter: Adapter?
    var device: Device1
    /// Whether the link is another program's, which lasts: it was there, and nothing was notified over
    /// it to anybody.
    var isForeign = false
    /// Whether no link is known that is this program's own.
    nonisolated let mayBeForeign: Bool
    /// Whether this program is ending the link that is shown, if any.
    nonisolated let isGoing: Bool
    /// Whether there was a link before `Connect`, whoever had made it.
    var wasConnected = false
    /// Whether somebody is ending the link, which is shown still.
    var isBeingEnded = false
    /// Whether the services are known.
    var isResolved = false
    /// Whether the peer has refused an attribute that bluetoothd shows: it has other ones by now, and did not
    /// say so.
    var hasStaleAttributes = false
    /// Whether bluetoothd is asked to forget the device, unless another program uses it.
    var isForgotten = false
    /// Whether `Connect` was called, so that a link may come of it.
    var isCalled = false
    /// Whether `Connect` has succeeded; signals before that may be about the link before this one.
    var isLinked = false
    var remote: RemoteServices
    private var waits = Waits<Message>()
    /// Who waits for what comes of a call to the peer.
    var outcomes = Waits<Void>()
    /// Who waits for anything to change.
    private var changes: [Promise<Void>] = []
    private var ends: [Promise<Void>] = []
    /// The adapter, until it has decided whether the link is to be ended.
    var releasing: Adapter?
    /// Who waits for that.
    var releases: [Promise<Void>] = []
    var queue = RequestQueue()
    var gate = NotificationGate()
    /// Characteristics that bluetoothd may be notifying to this program.
    var notified: Set<ObjectPath> = []
    /// Those of which it has been asked to notify them no longer.
    var unsubscribing: Set<ObjectPath> = []
    /// Whether the peer is to be asked for the services that are used.
    var isToBeAsked = false
    /// Characteristics to which a link has exclusive access.
    var acquired: [Acquired] = []
    var lastAcquired = 0
    /// Those of which the notifications are being acquired.
    var acquiring: Set<ObjectPath> = []
    /// Requests that were refused because of another program's, and are sent again.
    var retries: [Int: Retry] = [:]
    /// Whether another program had the time to show that it uses the link.
    var hasAwaitedOthers = false
    var random: SplitMix64

    nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

    init(
        _ device: Device1,
        on adapter: Adapter,
        services: RemoteServices,
        mayBeForeign: Bool,
        isGoing: Bool
    ) {
        self.device = device
        self.adapter = adapter
        peer = device.peer
        path = device.path
        adapterPath = adapter.path
        connection = adapter.connection
        var logger = adapter.logger
        logger[metadataKey: "peer"] = "\(device.peer)"
        self.logger = logger
        recovery = adapter.recovery
        random = SplitMix64(seed: adapter.recovery.seed)
        self.mayBeForeign = mayBeForeign
        self.isGoing = isGoing
        remote = services
    }

    var isUp: Bool {
        if case .up = state { true } else { false }
    }

    var hasEnded: Bool {
        if case .ended = state { true } else { false }
    }

    // MARK: - Waiting

    /// Waits until something changed on the device's object, or on one below it.
    func nextChange() async throws {
        // The end may have come since the last wait was over.
        try checkNotEnded()
        let promise = Promise<Void>()
        changes.append(promise)
        try await promise.wait()
    }

    func signalChange() {
        for promise in changes { promise.fulfil() }
        changes = []
    }

    /// Calls bluetoothd; the wait ends with the reply, with cancellation, or with the link.
    ///
    /// - Parameters:
    ///   - message: the call.
    ///   - onSuccess: called with the reply, before what arrived behind it is handled.
    /// - Returns: the reply.
    /// - Throws: ``ErrorReply``, ``BusError``, ``RadioError``, `CancellationError`.
    func call(
        _ message: Message,
        onSuccess: @escaping @Sendable (isolated RemoteDevice, Message) -> Void = { _, _ in }
    ) async throws -> Message {
        try checkNotEnded()
        let (id, reply) = waits.add()
        defer { waits.remove(id) }
        connection.request(message, logger) { [weak self] result in
            if case .success(let message) = result {
                self?.assumeIsolated { onSuccess($0, message) }
            }
            reply.fulfil(result)
        }
        return try await reply.wait()
    }

    func checkNotEnded() throws(RadioError) {
        if case .ended(let error) = state { throw error }
    }

    /// Adds a link over the connection.
    ///
    /// - Returns: the link; `nil` when the connection cannot be used any longer.
    func addLink() -> RemoteLink? {
        guard isUp else { return nil }
        let (lease, events) = leases.add()
        return RemoteLink(to: self, lease, events)
    }

    // MARK: - End

    /// Waits for the end.
    func promiseEnd() -> Promise<Void> {
        let promise = Promise<Void>()
        if hasEnded { promise.fulfil() } else { ends.append(promise) }
        return promise
    }

    /// The link is gone.
    ///
    /// - Parameter error: why; `nil` when it was ended here. What it was left for counts before what is lost meanwhile.
    func end(_ error: RadioError?) {
        var error = error
        if error != nil, case .leaving(let cause) = state { error = cause }
        let reason = error ?? Self.ended(peer)
        failRequests(reason)
        guard !hasEnded else { return }
        let wasUp = isUp
        state = .ended(reason)
        logger.log(level: wasUp && error != nil ? .notice : .debug, "\(reason)")
        waits.failAll(reason)
        outcomes.failAll(reason)
        for promise in changes { promise.fail(reason) }
        changes = []
        retries = [:]
        if let error, error.code == .peerGone { clearUp(after: error, wasUp: wasUp) }
        remote = RemoteServices()
        leases.end(error)
        closeSockets(error)
        for promise in ends { promise.fulfil() }
        ends = []
        adapter = nil
    }

    func failRequests(_ error: RadioError) {
        for request in queue.removeAll() {
            if request.isRead {
                for value in gate.endRead(at: request.path, nil) {
                    deliver(value, at: request.path)
                }
            }
            request.reply.fail(error)
        }
    }

    static func ended(_ peer: PeerID) -> RadioError {
        RadioError(.peerGone, "the link to \(peer) was ended here")
    }
}
