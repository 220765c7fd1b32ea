public import BLE
internal import DBus
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
    /// The adapter's name, `hci0`.
    public nonisolated let name: String

    nonisolated let connection: Connection
    nonisolated let logger: Logger
    nonisolated let path: ObjectPath

    /// The unique name of bluetoothd, while it runs.
    var daemon: String?
    var mirror = ObjectMirror { interface in
        [
            Adapter1.interface, Device1.interface, GattService1.interface,
            GattCharacteristic1.interface,
        ].contains(interface)
    }
    var isStarted = false
    /// Why the adapter can never be used again.
    var ending: RadioError?

    /// Whether the adapter can be used, now.
    public internal(set) var state = RadioState.absent
    var stateWatchers: [Int: AsyncStream<RadioState>.Continuation] = [:]
    private var lastID = 0

    var discovery = Discovery()
    var isDiscoveryFilterSet = false
    /// Who waits until nothing is discovered.
    var silence: [Promise<Void>] = []
    var sightings = Sightings()
    var scans: [Int: Scan] = [:]
    var devices: [ObjectPath: RemoteDevice] = [:]
    var publications: [PublishedService] = []

    /// The executor of the connection to the bus: what bluetoothd says is handled on its thread, in
    /// the order in which it arrived.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

    private init(_ connection: Connection, _ path: ObjectPath, _ logger: Logger) {
        self.connection = connection
        self.path = path
        self.logger = logger
        name = Adapter1(path: path).name
    }

    /// Opens an adapter of this machine.
    ///
    /// One without power can be opened; ``state`` is `off` then.
    ///
    /// - Parameters:
    ///   - name: the adapter's name, `hci0`; `nil` for the first one with power, else the first.
    ///   - logger: gets each call, each reply and each change of state at the level `debug`.
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
    ///   - name: the adapter's name, `hci0`; `nil` for the first one with power, else the first.
    ///   - address: where the bus listens, `unix:path=…`.
    ///   - logger: gets each call, each reply and each change of state at the level `debug`.
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
        logger: Logger = Logger(label: "BlueZ")
    ) async throws -> Adapter {
        let connection: Connection
        do {
            connection = try await Connection.open(address, logger: logger)
        } catch {
            let text = "connecting to the system bus at \(address.rawValue)"
            throw BlueZError.translate(error, for: .use, text)
        }
        do {
            let path = try await Self.path(of: name, on: connection)
            let adapter = Adapter(connection, path, logger)
            try await adapter.start()
            return adapter
        } catch {
            await connection.close()
            throw BlueZError.translate(error, for: .use, "asking bluetoothd for its adapters")
        }
    }

    /// Closes the adapter for good, and ends all that was begun on it.
    ///
    /// Scans end without an error, publications are withdrawn, links that were made here are
    /// disconnected. Returns when bluetoothd has confirmed that the publications are gone.
    public func close() async {
        guard ending == nil else { return }
        let ending = RadioError(.absent, "the adapter \(name) was closed")
        self.ending = ending
        for scan in scans.values { scan.end() }
        scans = [:]
        steerDiscovery()
        for device in devices.values { await device.close(ending) }
        for publication in publications { await publication.withdraw() }
        endAll(ending)
        await connection.close()
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

    private func removeStateWatcher(_ id: Int) {
        stateWatchers[id] = nil
    }

    func nextID() -> Int {
        lastID += 1
        return lastID
    }
}
