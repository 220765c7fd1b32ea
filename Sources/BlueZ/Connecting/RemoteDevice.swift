internal import BLE
internal import DBus
internal import Logging

/// A link to a remote device, over `Device1` and the GATT objects below it.
///
/// It is gone with the first sign of that: `Connected` or `ServicesResolved` become false, its object
/// is removed, the adapter loses its power or is removed, bluetoothd or the bus are lost. All that
/// waits fails then, at once; bluetoothd may never reply.
///
/// Source: BlueZ, doc/org.bluez.Device.rst, doc/org.bluez.GattCharacteristic.rst.
actor RemoteDevice: Link {
    enum State {
        case connecting
        case up
        /// `Disconnect` was called, and what the end will be told as.
        case leaving(RadioError?)
        case ended(RadioError)
    }

    /// What may wait for the consumer, besides one event too many and the end.
    static let maximumEventCount = 256

    nonisolated let peer: PeerID
    nonisolated let events: AsyncStream<LinkEvent>
    nonisolated let path: ObjectPath
    private nonisolated let adapterPath: ObjectPath
    nonisolated let connection: Connection
    nonisolated let logger: Logger
    nonisolated let recovery: Recovery

    var state = State.connecting
    let continuation: AsyncStream<LinkEvent>.Continuation
    /// Signals come through the adapter, so a link keeps it open.
    private var adapter: Adapter?
    var device: Device1
    /// Whether another program had made the link, which lasts.
    var wasConnected: Bool
    /// Whether `Connect` has succeeded; signals before that may be about the link before this one.
    var isLinked = false
    var remote: RemoteServices
    private var waits = Waits()
    /// Who waits for anything to change.
    private var changes: [Promise<Void>] = []
    private var ends: [Promise<Void>] = []
    var queue = RequestQueue()
    var gate = NotificationGate()

    nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

    init(_ device: Device1, on adapter: Adapter, services: RemoteServices, isForeign: Bool) {
        self.device = device
        self.adapter = adapter
        peer = device.peer
        path = device.path
        adapterPath = adapter.path
        connection = adapter.connection
        logger = adapter.logger
        recovery = adapter.recovery
        wasConnected = isForeign
        remote = services
        (events, continuation) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(Self.maximumEventCount + 2)
        )
    }

    var isUp: Bool {
        if case .up = state { true } else { false }
    }

    var hasEnded: Bool {
        if case .ended = state { true } else { false }
    }

    var services: [GATTService] { remote.all }

    var mtuBytes: Int { remote.mtuBytes }

    // MARK: - Connecting

    /// Makes the link, says so, and waits until the services are known.
    func connect(didLink: @Sendable () async -> Void) async throws {
        do {
            // In bluetoothd's order of calls; without it the attempt is made all the same.
            if let preferLE = device.preferLE { connection.request(preferLE, logger) { _ in } }
            // At the reply's place among the signals: the loss of the link may follow at once.
            _ = try await call(device.connect) { $0.isLinked = true }
            await didLink()
            try await resolve()
            try await learnMTU()
        } catch {
            if case .ended(let error) = state { throw error }
            // Nobody waits for the attempt any longer; bluetoothd would go on for 40 s.
            if !(error is ErrorReply), !wasConnected { sendDisconnect() }
            throw BlueZError.translate(error, for: .connect, "connecting to \(peer)")
        }
        try checkNotEnded()
        state = .up
        logger.debug("linked to \(peer)")
    }

    /// Waits until bluetoothd knows the services, and has told their objects.
    ///
    /// They come before it says so; with some bugs of bluetoothd, after.
    private func resolve() async throws {
        while !device.areServicesResolved { try await nextChange() }
        // Older versions show no object for Generic Access.
        let expected = Set(device.serviceUUIDs).subtracting([BluetoothUUID(assignedNumber: 0x1800)])
        guard !remote.uuids.isSuperset(of: expected) else { return }
        try await hearAll()
        guard remote.uuids.isEmpty else { return }
        while remote.uuids.isEmpty { try await nextChange() }
        try await hearAll()
    }

    /// Asks for the MTU if it has not been told.
    ///
    /// bluetoothd tells it with objects that are new. Those of a device that it knows from an earlier
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
            remote.learn(mtuBytes: max(Int(mtuBytes), 23), at: path)
        } catch let reply as ErrorReply {
            // The least that a link carries does.
            logger.debug("\(peer) does not tell its MTU: \(reply)")
        }
    }

    /// Waits until what bluetoothd has told by now has arrived: a reply comes behind it.
    private func hearAll() async throws {
        _ = try await call(.property("ServicesResolved", of: Device1.interface, at: path))
    }

    /// Waits until something changed on the device's object, or on one below it.
    func nextChange() async throws {
        // The end may have come since the last wait was over.
        try checkNotEnded()
        let promise = Promise<Void>()
        changes.append(promise)
        try await promise.wait()
    }

    func tellChange() {
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
        onSuccess: @escaping @Sendable (isolated RemoteDevice) -> Void = { _ in }
    ) async throws -> Message {
        try checkNotEnded()
        let (id, reply) = waits.add()
        defer { waits.remove(id) }
        connection.request(message, logger) { [weak self] result in
            if case .success = result { self?.assumeIsolated { onSuccess($0) } }
            reply.fulfil(result)
        }
        return try await reply.wait()
    }

    private func checkNotEnded() throws(RadioError) {
        if case .ended(let error) = state { throw error }
    }

    // MARK: - End

    func disconnect() {
        if isUp { leave(nil) }
    }

    /// Ends the link from here, and fails what waits for it.
    func leave(_ reason: RadioError?) {
        failRequests(reason ?? Self.ended(peer))
        // A value that waited for a read may have been one too many.
        guard isUp else { return }
        state = .leaving(reason)
        stopNotifying()
        sendDisconnect()
        if let reason { end(reason) }
    }

    private func sendDisconnect() {
        guard !isStale else { return sendRemoval() }
        beginDisconnecting()
        connection.request(device.disconnect, logger) { [weak self, weak adapter, path] _ in
            adapter?.assumeIsolated { $0.didDisconnectFromHere(path) }
            self?.assumeIsolated { device in
                if case .leaving(let reason) = device.state { device.end(reason) }
            }
        }
    }

    /// Whether bluetoothd would go on to show the device without a service that it may advertise.
    ///
    /// Once it has read the services of a device that is not connected, it takes no advertised ones any
    /// more (Decisions/0007).
    private var isStale: Bool { remote.isIncomplete && !wasConnected && !device.isKept }

    /// Has bluetoothd forget the device, which ends the link first.
    private func sendRemoval() {
        logger.debug("\(peer) took a service back: bluetoothd is to forget it")
        beginDisconnecting()
        let removal = Adapter1(path: adapterPath).removeDevice(path)
        let disconnect = device.disconnect
        connection.request(removal, logger) {
            [connection, logger, weak self, weak adapter, path] result in
            adapter?.assumeIsolated { $0.didDisconnectFromHere(path) }
            // Also when this link is gone: who asked for its end wants that at least.
            if case .failure = result { connection.request(disconnect, logger) { _ in } }
            self?.assumeIsolated { device in
                if case .leaving(let reason) = device.state { device.end(reason) }
            }
        }
    }

    /// The link is none of another program, while it is being ended.
    private func beginDisconnecting() {
        adapter?.assumeIsolated { $0.disconnectCounts[path, default: 0] += 1 }
    }

    private func stopNotifying() {
        for path in gate.subscribed {
            connection.request(GattCharacteristic1(path: path).stopNotify, logger) { _ in }
        }
        gate = NotificationGate()
    }

    /// The adapter is closed.
    func close(_ error: RadioError) {
        let isConnecting = if case .connecting = state { true } else { false }
        if !wasConnected, isConnecting || isUp { sendDisconnect() }
        end(isConnecting ? error : nil)
    }

    /// Waits for the end.
    func promiseEnd() -> Promise<Void> {
        let promise = Promise<Void>()
        if hasEnded { promise.fulfil() } else { ends.append(promise) }
        return promise
    }

    /// The link is gone.
    ///
    /// - Parameter error: why; `nil` when it was ended here.
    func end(_ error: RadioError?) {
        let reason = error ?? Self.ended(peer)
        failRequests(reason)
        guard !hasEnded else { return }
        let wasUp = isUp
        state = .ended(reason)
        logger.debug("\(reason)")
        waits.failAll(reason)
        for promise in changes { promise.fail(reason) }
        changes = []
        if error?.code == .peerGone { stopNotifying() }
        if error?.code == .peerGone, wasUp, isStale { sendRemoval() }
        remote = RemoteServices()
        continuation.yield(.disconnected(error))
        continuation.finish()
        for promise in ends { promise.fulfil() }
        ends = []
        adapter = nil
    }

    private func failRequests(_ error: RadioError) {
        for request in queue.removeAll() {
            if request.isRead {
                for value in gate.endRead(at: request.path, nil) {
                    deliver(value, at: request.path)
                }
            }
            request.reply.fail(error)
        }
    }

    private static func ended(_ peer: PeerID) -> RadioError {
        RadioError(.peerGone, "the link to \(peer) was ended here")
    }
}
