public import BLE
internal import BLEDBus
internal import BLELocking
public import Logging

/// A Bluetooth adapter of this machine, driven through BlueZ's daemon, bluetoothd.
///
/// It is a radio for both roles:
///
/// ```swift
/// let adapter = try await Adapter.open()
/// for try await event in try await adapter.scan(ScanFilter(name: "8-Ball")) { … }
/// ```
///
/// It has a connection to the system bus of its own. Links and publications keep it open; without
/// any, it closes when it is no longer referred to.
///
/// D-Bus: `org.bluez.Adapter1`, `org.bluez.GattManager1`, `org.bluez.LEAdvertisingManager1`.
/// Source: BlueZ, doc/org.bluez.Adapter.rst.
public actor Adapter: CentralRadio, PeripheralRadio {
    /// The adapter's name, `hci0`, now: one that was opened without a name, or by its address, may get
    /// another when it is plugged in again.
    public nonisolated var name: String { Adapter1(path: path).name }

    nonisolated let connection: Connection
    /// Behind a lock, as ``name`` is read without waiting.
    private nonisolated let place: Locked<Place>
    nonisolated var path: ObjectPath { place.withLock { $0.path } }
    /// Says which adapter it is.
    nonisolated var logger: Logger { place.withLock { $0.logger } }
    nonisolated let recovery: Recovery

    /// The unique name of bluetoothd, while it runs.
    var daemon: String?
    var mirror = ObjectMirror { interface in
        [
            Adapter1.interface, Device1.interface, GattService1.interface,
            GattCharacteristic1.interface, GattDescriptor1.interface,
            LEAdvertisingManager1.interface,
        ].contains(interface)
    }
    var isStarted = false
    /// Whether it stays the same one under another name.
    private nonisolated let isFollowed: Bool
    /// Which controller it is.
    var address: BluetoothAddress?
    /// What ends the subscription to its objects' properties.
    var propertiesSubscription: Int?
    /// Subscribes to them under the adapter's last name.
    var following: Task<Void, Never>?
    /// Why the adapter can never be used again.
    var ending: RadioError?
    /// Whether it is being closed, and what was begun on it ends in order.
    var isClosing = false
    /// Who waits until it is closed, as another call does that.
    var closingWaiters: [Promise<Void>] = []

    /// Whether the adapter can be used, now.
    public internal(set) var state = RadioState.absent
    var stateWatchers: [Int: AsyncStream<RadioState>.Continuation] = [:]
    private var lastID = 0

    var discovery = Discovery()
    var isDiscoveryFilterSet = false
    /// Looks after the discovery in a while.
    var discoveryTimer: Deadline?
    /// Who waits until nothing is discovered.
    var discoveryStopWaiters: [Promise<Void>] = []
    /// Who waits until no connection is being made.
    var resumptionWaits = Waits<Void>()
    var sightings = Sightings()
    /// Devices that were forgotten here, advertise again, and are being asked for.
    var fetching: Set<ObjectPath> = []
    var scans: [Int: Scan] = [:]
    var devices: [ObjectPath: RemoteDevice] = [:]
    /// To whom a connection is being made, and who waits for the end of the attempt.
    var connecting: [PeerID: [Promise<Void>]] = [:]
    /// Who waits until a device is not connected.
    var disconnectionWaiters: [ObjectPath: [Promise<Void>]] = [:]
    /// Who waits for a moment, if the adapter stays usable.
    var interruptions: [Int: Promise<Void>] = [:]
    var random: SplitMix64
    /// How long ago connections have ended, of the last ones.
    var linkEnds: [ObjectPath: @Sendable () -> Duration] = [:]
    /// Links that nobody here uses any longer, until it is known whether another program does.
    var releases: [Int: Release] = [:]
    /// How many links to a device are being released: the one that it shows is none of another program.
    var releaseCounts: [ObjectPath: Int] = [:]
    /// Who waits until no link is being released.
    var releaseWaiters = Waits<Void>()
    var publications: [PublishedServices] = []
    /// The handles that the last one asked for.
    var lastHandles: Range<Int>?
    /// Those that are apart from what is published.
    var advertisements: [PublishedAdvertisement] = []

    /// The executor of the connection to the bus: what bluetoothd says is handled on its thread, in
    /// the order in which it arrived.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

    /// Where the adapter is, and a logger that says so.
    private struct Place {
        let path: ObjectPath
        let logger: Logger

        init(_ path: ObjectPath, _ logger: Logger) {
            self.path = path
            var logger = logger
            logger[metadataKey: "adapter"] = "\(path.lastComponent)"
            self.logger = logger
        }
    }

    private init(
        _ connection: Connection,
        _ path: ObjectPath,
        isFollowed: Bool,
        _ logger: Logger,
        _ recovery: Recovery
    ) {
        self.connection = connection
        place = Locked(Place(path, logger))
        self.isFollowed = isFollowed
        var recovery = recovery
        if recovery.clock is ContinuousClock { recovery.clock = connection.loop.clock }
        self.recovery = recovery
        random = SplitMix64(seed: recovery.seed)
    }

    /// Opens an adapter of this machine.
    ///
    /// One without power can be opened; ``state`` is `off` then.
    ///
    /// An adapter outlives bluetoothd's end and its being unplugged: it is `absent` then, and can be
    /// used again when it is back. One that was opened by its address, or without a name, is the same
    /// also when it comes back under another name; one that was opened as `hci0` is whichever has that
    /// name.
    ///
    /// - Parameters:
    ///   - name: the adapter's name, `hci0`, or its address, `00:AA:01:00:00:42`; `nil` for the first
    ///     one with power, else the first.
    ///   - logger: gets losses and changes of state at the level `notice`, retries at `info`, each call and
    ///     each reply at `debug`; the metadata `adapter` and `peer` say whom it is about.
    /// - Returns: the adapter.
    /// - Throws: `RadioError` with `noService` when there is no system
    ///   bus, or no bluetoothd on it, `absent` when there is no such adapter,
    ///   `notPermitted` when the bus does not let this program use it;
    ///   `CancellationError`.
    public static func open(
        _ name: String? = nil,
        logger: Logger = Logger(label: "BlueZ")
    ) async throws -> Adapter {
        try await open(name, at: .system, logger: logger)
    }

    /// Opens an adapter on a bus of one's own, as tests do with VirtualBlueZ.
    ///
    /// - Parameters:
    ///   - name: as for ``open(_:logger:)``.
    ///   - address: where the bus listens, `unix:path=…`.
    ///   - logger: gets losses and changes of state at the level `notice`, retries at `info`, each call and
    ///     each reply at `debug`; the metadata `adapter` and `peer` say whom it is about.
    /// - Returns: the adapter.
    /// - Throws: as ``open(_:logger:)``.
    public static func open(
        _ name: String? = nil,
        onBusAt address: String,
        logger: Logger = Logger(label: "BlueZ")
    ) async throws -> Adapter {
        try await open(name, at: BusAddress(address), logger: logger)
    }

    static func open(
        _ name: String?,
        at address: BusAddress,
        logger: Logger = Logger(label: "BlueZ"),
        recovery: Recovery = Recovery()
    ) async throws -> Adapter {
        let connection: Connection
        do {
            connection = try await Connection.open(address, logger: logger)
        } catch let error as BusError where error.code == .connectionRefused {
            throw RadioError(
                .noService,
                "no system bus at \(address.rawValue); start D-Bus and bluetoothd, or try virtual-bluez",
                underlying: error
            )
        } catch {
            throw BlueZError.translate(error, for: .use, "opening \(address.rawValue)")
        }
        do {
            let path = try await Self.path(of: name, on: connection)
            let adapter = Adapter(
                connection,
                path,
                isFollowed: name.map { BluetoothAddress($0) != nil } ?? true,
                logger,
                recovery
            )
            try await adapter.start()
            return adapter
        } catch {
            await connection.close()
            throw BlueZError.translate(error, for: .use, "asking bluetoothd for its adapters")
        }
    }

    /// Closes the adapter for good, and ends all that was begun on it.
    ///
    /// Scans end without an error, links that were made here are disconnected, and then publications are withdrawn. Returns
    /// when bluetoothd has confirmed that they are gone, and has ended the connections, for which it takes two seconds. A
    /// call while another one closes it waits for that one.
    ///
    /// - Parameter waitsForDisconnection: whether to wait for the ends of connections, for five seconds at most. A peer
    ///   whose service goes in that time is shown without it, and not found by it, until it is out of reach or bluetoothd
    ///   forgets it; who waits has it forgotten. `false` is for who knows that its peers stay as they are, and is heeded
    ///   while the adapter does not advertise: else peers may call, over a connection that is about to go.
    public func close(waitsForDisconnection: Bool = true) async {
        guard ending == nil else { return await waitUntilClosed() }
        let ending = RadioError(.absent, "the adapter \(name) was closed")
        self.ending = ending
        isClosing = true
        for scan in scans.values { scan.end(startingFailsWith: ending) }
        scans = [:]
        steerDiscovery()
        await disconnectAll(ending, waitsForDisconnection || isAdvertising)
        let (publications, advertisements) = (publications, advertisements)
        await withDiscardingTaskGroup { group in
            for publication in publications { group.addTask { await publication.withdraw() } }
            for advertisement in advertisements { group.addTask { await advertisement.stop() } }
        }
        isClosing = false
        endAll(ending)
        for promise in closingWaiters { promise.fulfil() }
        closingWaiters = []
        await connection.close()
    }

    private func waitUntilClosed() async {
        guard isClosing else { return }
        let promise = Promise<Void>()
        closingWaiters.append(promise)
        // In a task of its own, as also who was cancelled wants this to be done.
        await Task { try? await promise.wait() }.value
    }

    /// Tells the adapter's state, now and at each change.
    ///
    /// - Returns: a stream whose first element is the present state. It ends when the adapter is
    ///   closed, and when the connection to the bus is lost.
    public func states() -> AsyncStream<RadioState> {
        let (states, watcher) = AsyncStream.makeStream(
            of: RadioState.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        watcher.yield(state)
        guard ending == nil else {
            watcher.finish()
            return states
        }
        let id = nextID()
        stateWatchers[id] = watcher
        watcher.onTermination = { [weak self] _ in Task { await self?.removeStateWatcher(id) } }
        return states
    }

    /// The adapter, if it has come back under another name.
    var successor: ObjectPath? {
        guard isFollowed, let address else { return nil }
        let found = Adapter1.all(in: mirror).filter { $0.address == address }
        return found.contains { $0.path == path } ? nil : found.first?.path
    }

    /// Whether an object of the adapter's name is the adapter.
    func isSame(_ adapter: Adapter1) -> Bool {
        !isFollowed || address == nil || adapter.address == address
    }

    /// From now on it has another name.
    func move(to path: ObjectPath) {
        logger.notice("the adapter came back as \(path.lastComponent)")
        place.withLock { $0 = Place(path, $0.logger) }
    }

    private func removeStateWatcher(_ id: Int) {
        stateWatchers[id] = nil
    }

    func nextID() -> Int {
        lastID += 1
        return lastID
    }
}
