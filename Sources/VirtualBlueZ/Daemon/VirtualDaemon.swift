internal import BLEDBus
internal import Logging

/// An `org.bluez` of one's own: a daemon with adapters that receive each other, on any bus.
///
/// Programs on that bus find what a real daemon would show them. What one serves and advertises
/// with `hci1`, another finds, connects to and asks with `hci0`:
///
/// ```swift
/// let bus = try PrivateBus()
/// let daemon = try await VirtualDaemon.start(on: bus.address)
/// // … programs that are started with DBUS_SYSTEM_BUS_ADDRESS=bus.address …
/// await daemon.simulateDisconnection(between: 0, and: 1)
/// await daemon.stop()
/// ```
///
/// Its behaviour is that of a bluetoothd with virtual controllers: LE only, no pairing.
public actor VirtualDaemon {
    static let path: ObjectPath = "/org/bluez"
    static let busName = "org.bluez"

    nonisolated let connection: Connection
    nonisolated let setup: Setup
    nonisolated let clock: DaemonClock
    private(set) var bus: DaemonBus

    /// What chance follows; the same seed and the same faults make the same run.
    public nonisolated var seed: UInt64 { setup.seed }
    nonisolated var timing: Timing { setup.timing }
    nonisolated var behavior: Behavior { setup.version.behavior }

    var adapters: [Int: VirtualAdapter] = [:]

    /// What it finds and leaves behind.
    var world: RadioWorld
    var storage: DeviceStorage

    /// Whether it has neither been ended nor died.
    public private(set) var isRunning = true
    private var isGivingUp = false

    var agents = RegisteredAgents()

    /// The reads and writes that applications have not replied to.
    var operations = Operations()

    /// What centrals have to confirm, the oldest first; by the peripheral as a central knows it.
    var indications: [DeviceID: [Indication]] = [:]

    /// The devices whose indications are going out, one after the other.
    var indicatedDevices: Set<DeviceID> = []

    /// Calls that never get a reply.
    var unansweredCalls: [MethodCall] = []

    /// The sockets that applications have given.
    var applicationSockets = ApplicationSockets()

    /// What goes wrong.
    var faults = Faults()

    /// What faults have put off, by a number.
    var deferred: [Int: @Sendable (isolated VirtualDaemon) -> Void] = [:]
    var lastDeferred = 0

    var schedule = Schedule()

    /// Whether a test lets time pass, so that no alarm is needed.
    var isPassingTime = false

    /// Whether no more time is to pass in that way, as the daemon is about to be stopped.
    private(set) var isTimeOver = false

    var alarm: (due: Duration, task: Task<Void, Never>)?

    /// The connection's thread, so that messages are handled in the order of the bus.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

    private init(
        _ connection: Connection,
        _ setup: Setup,
        _ world: RadioWorld,
        _ storage: DeviceStorage
    ) {
        self.connection = connection
        self.setup = setup
        clock = setup.clock
        self.world = world
        self.storage = storage
        bus = DaemonBus(connection: connection, behavior: setup.version.behavior)
    }

    deinit {
        alarm?.task.cancel()
    }

    /// Starts a daemon; returns when its adapters are there.
    ///
    /// - Parameters:
    ///   - address: the bus, `unix:path=…`.
    ///   - adapters: how many, 1…128: `hci0`, `hci1` and so on.
    ///   - version: the release as which it behaves.
    ///   - mtu: the ATT MTU with which all links begin, 23…517 bytes.
    ///   - timing: how long things take.
    ///   - clock: what measures that; a ``ManualClock`` lets hours pass in no time.
    ///   - seed: what chance follows; `nil` for one of its own, which ``seed`` tells.
    /// - Returns: the daemon, to be stopped.
    /// - Throws: ``VirtualDaemonError`` when the bus can't be reached or has an `org.bluez`.
    public static func start(
        on address: String,
        adapters: Int = 2,
        version: BlueZVersion = .v5_66,
        mtu: Int = 517,
        timing: Timing = Timing(),
        clock: any Clock<Duration> = ContinuousClock(),
        seed: UInt64? = nil
    ) async throws -> VirtualDaemon {
        precondition((1...128).contains(adapters), "\(adapters) adapters")
        precondition(AttributeLimits.mtus.contains(mtu), "an MTU of \(mtu)")
        let seed = seed ?? .random(in: 0 ... .max)
        return try await start(
            Setup(
                address: address,
                version: version,
                mtu: mtu,
                timing: timing,
                clock: DaemonClock(clock),
                manualClock: clock as? ManualClock,
                seed: seed
            ),
            in: RadioWorld(controllers: adapters, seed: seed)
        )
    }

    /// Starts a daemon in a world, with what another has stored.
    static func start(
        _ setup: Setup,
        in world: RadioWorld,
        with storage: DeviceStorage = DeviceStorage()
    ) async throws -> VirtualDaemon {
        do {
            let connection = try await Connection.open(BusAddress(setup.address))
            let daemon = VirtualDaemon(connection, setup, world, storage)
            try await daemon.begin()
            return daemon
        } catch {
            throw VirtualDaemonError("starting a virtual org.bluez on \(setup.address)", error)
        }
    }

    func begin() async throws {
        bus.daemon = self
        try await connection.subscribe(
            to: MatchRule(
                sender: "org.freedesktop.DBus",
                interface: "org.freedesktop.DBus",
                member: "NameOwnerChanged"
            )
        ) { [weak self] signal in
            self?.assumeIsolated { $0.nameOwnerChanged(signal) }
        }
        try await connection.subscribe(
            to: MatchRule(
                interface: "org.freedesktop.DBus.Properties",
                member: "PropertiesChanged",
                firstArgument: "org.bluez.GattCharacteristic1"
            )
        ) { [weak self] signal in
            self?.assumeIsolated { $0.applicationChangedProperties(signal) }
        }
        try await connection.subscribe(
            to: MatchRule(
                interface: "org.freedesktop.DBus.Properties",
                member: "PropertiesChanged",
                firstArgument: InterfaceName.advertisement1
            )
        ) { [weak self] signal in
            self?.assumeIsolated { $0.applicationChangedAdvertisement(signal) }
        }
        await connection.interceptCalls { [weak self] call in
            self?.assumeIsolated { $0.applyFault(call) } ?? false
        }
        bus.exportObjectManager()
        try await connection.requestName(Self.busName)
        bus.exportManagers()
        for (pair, due) in world.air.nextSteps { set(.step(pair), after: due - clock.elapsed()) }
        for index in world.controllers.keys.sorted() { addAdapter(index) }
    }

    /// Ends the daemon in order: links end, objects go, advertisements are released.
    ///
    /// Returns when the bus has dropped it, so that another can be started. Does nothing else when it
    /// has ended.
    public func stop() async {
        if isRunning { endInOrder() }
        await connection.waitUntilDropped()
    }

    private func endInOrder() {
        // Whoever is to end in order has to go on first, as systemd has it.
        simulateContinuation()
        let plugged = adapters.keys.sorted()
        powerOffAll()
        bus.unexportManagers()
        for index in plugged { removeAdapter(index) }
        end()
    }

    /// Ends the daemon at once, as by a crash: nobody is told but by the bus, and by the end of sockets.
    ///
    /// Returns when the bus has dropped it, so that another can be started. Does nothing else when it
    /// has ended.
    public func kill() async {
        crash()
        await connection.waitUntilDropped()
    }

    /// Ends the daemon as ``kill()`` does, without waiting for the bus.
    func crash() {
        guard isRunning else { return }
        for device in adapters.keys.sorted().flatMap(devices) { store(device) }
        end()
    }

    /// Ends the daemon as ``kill()`` does, once what it is doing is done: the bus takes no more of it.
    ///
    /// A signal that was left out would leave its clients with a state that is not so.
    func giveUp(_ error: BusError) {
        guard isRunning, !isGivingUp else { return }
        isGivingUp = true
        connection.logger.error("org.bluez ends: \(error)")
        connection.loop.post { [weak self] in self?.assumeIsolated { $0.crash() } }
    }

    func end() {
        isRunning = false
        alarm?.task.cancel()
        alarm = nil
        schedule.cancelAll()
        deferred = [:]
        faults = Faults()
        // The kernel ends those whose host is gone.
        world.links.removeAll()
        closeAllSockets()
        connection.assumeIsolated { $0.close() }
    }

    /// Ends what passes of time, at the next event, and lets none pass any more.
    func endTime() {
        isTimeOver = true
    }

    // MARK: - Clients

    private func nameOwnerChanged(_ signal: Message) {
        guard let body = try? signal.body(), body.count == 3, let name = body[0].string,
            name.hasPrefix(":"), body[2].string == ""
        else { return }
        clientLeft(name)
    }

    /// Forgets all that belongs to a client that has left the bus.
    private func clientLeft(_ client: String) {
        let servers = adapters.keys.sorted().filter { removeApplications(of: client, from: $0) }
        for index in adapters.keys.sorted() { removeAdvertisements(of: client, from: index) }
        endSubscriptions(of: client)
        for index in adapters.keys.sorted() { endDiscovery(of: client, on: index) }
        // Centrals learn it over the air, later than the server's own clients.
        for index in servers { servicesChanged(of: index, hasGrown: false) }
        for index in adapters.keys {
            let providers = adapters[index]?.batteryProviders ?? []
            adapters[index]?.batteryProviders = providers.filter { $0.owner != client }
        }
        changeAgents { $0.removeAll(of: client) }
        let subscriptions = operations.numbers {
            $0.request == .subscribe && $0.call.sender == client
        }
        for number in subscriptions { finish(number, .failure(.unlikelyError)) }
        unansweredCalls.removeAll { $0.sender == client }
    }
}
