internal import DBus

/// An `org.bluez` of one's own: a daemon with adapters that hear each other, on any bus.
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
    nonisolated let limits: AttributeLimits

    /// What chance follows; the same seed and the same faults make the same run.
    public nonisolated var seed: UInt64 { setup.seed }
    nonisolated var timing: Timing { setup.timing }
    nonisolated var behavior: Behavior { setup.version.behavior }

    var adapters: [Int: VirtualAdapter] = [:]
    var air: Air

    /// The adapters that rfkill blocks, plugged in or not.
    var blocked: Set<Int> = []

    /// The numbers in the names of adapters that have another one than their own.
    var names: [Int: Int] = [:]

    /// What is known of devices whose adapter is unplugged.
    var remembered: [DeviceID: [String: Value]] = [:]

    /// The names in what peers last advertised; kept when their objects go.
    var heardNames: [DeviceID: String] = [:]

    /// What it has left behind; `nil` while it runs.
    private(set) var remains: Remains?

    /// Whether it has neither been ended nor died.
    public var isRunning: Bool { remains == nil }

    var agents: Set<RegisteredApplication.ID> = []

    /// The reads and writes that applications have not replied to.
    var operations: [Int: Operation] = [:]
    var lastOperation = 0

    /// Calls that nobody will ever reply to.
    var forgottenCalls: [MethodCall] = []

    /// The sockets that applications have given.
    var applicationSockets: [ApplicationSocket.ID: ApplicationSocket] = [:]

    /// The write commands that are under way.
    var bursts: [DeviceID: CommandBurst] = [:]

    /// What goes wrong.
    var faults = Faults()

    /// What faults have put off, by a number.
    var deferred: [Int: @Sendable (isolated VirtualDaemon) -> Void] = [:]
    var lastDeferred = 0

    var schedule = Schedule()

    /// Whether a test lets time pass, so that no alarm is needed.
    var isPassingTime = false
    var alarm: (due: Duration, task: Task<Void, Never>)?

    /// The connection's thread, so that messages are handled in the order of the bus.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

    private init(_ connection: Connection, _ setup: Setup) {
        self.connection = connection
        self.setup = setup
        clock = setup.clock
        air = Air(seed: setup.seed)
        limits = AttributeLimits(mtu: setup.mtu, setup.version.behavior)
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
    ///   - mtu: the ATT MTU of all links, 23…517 bytes.
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
        return try await start(
            Setup(
                address: address,
                version: version,
                mtu: mtu,
                timing: timing,
                clock: DaemonClock(clock),
                manualClock: clock as? ManualClock,
                seed: seed ?? .random(in: 0 ... .max)
            ),
            after: Remains(adapters: Array(0..<adapters))
        )
    }

    /// Starts a daemon in the place of another.
    static func start(_ setup: Setup, after remains: Remains) async throws -> VirtualDaemon {
        do {
            let connection = try await Connection.open(BusAddress(setup.address))
            let daemon = VirtualDaemon(connection, setup)
            try await daemon.begin(remains)
            return daemon
        } catch {
            throw VirtualDaemonError("starting a virtual org.bluez on \(setup.address)", error)
        }
    }

    private func begin(_ remains: Remains) async throws {
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
        await connection.interceptCalls { [weak self] call in
            self?.assumeIsolated { $0.meetFault(call) } ?? false
        }
        exportRoot()
        try await connection.requestName(Self.busName)
        if let known = remains.air { air = known }
        for (pair, due) in air.nextSteps { set(.step(pair), after: due - clock.elapsed()) }
        remembered = remains.devices
        heardNames = remains.heardNames
        names = remains.names
        blocked = remains.blocked
        for index in remains.adapters { addAdapter(index, remains.arePowered ? .on : .off) }
    }

    /// Ends the daemon in order: links end, objects go, advertisements are released.
    ///
    /// Does nothing when it has ended.
    public func stop() async {
        guard isRunning else { return }
        // Whoever is to end in order has to go on first, as systemd has it.
        simulateContinuation()
        let plugged = adapters.keys.sorted()
        powerOffAll()
        unexport(Self.path)
        for index in plugged { removeAdapter(index) }
        end(plugged, arePowered: false)
    }

    /// Ends the daemon at once, as by a crash: nobody is told but by the bus.
    ///
    /// Does nothing when it has ended.
    public func kill() async {
        crash()
    }

    /// Ends the daemon as ``kill()`` does.
    func crash() {
        guard isRunning else { return }
        for device in adapters.keys.sorted().flatMap(devices) { remember(device) }
        end(adapters.keys.sorted(), arePowered: true)
    }

    private func end(_ plugged: [Int], arePowered: Bool) {
        remains = Remains(
            adapters: plugged,
            arePowered: arePowered,
            air: air,
            devices: remembered,
            heardNames: heardNames,
            names: names,
            blocked: blocked
        )
        alarm?.task.cancel()
        alarm = nil
        schedule.cancelAll()
        deferred = [:]
        faults = Faults()
        connection.assumeIsolated { $0.close() }
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
        for index in adapters.keys.sorted() { endScan(of: client, on: index) }
        // Centrals learn it over the air, later than the server's own clients.
        for index in servers { tellServicesChanged(of: index, hasGrown: false) }
        for index in adapters.keys {
            let providers = adapters[index]?.batteryProviders ?? []
            adapters[index]?.batteryProviders = providers.filter { $0.owner != client }
        }
        agents = agents.filter { $0.owner != client }
        for number in operations.keys.sorted() {
            let operation = operations[number]
            guard operation?.request == .subscribe, operation?.call.sender == client else {
                continue
            }
            finish(number, .failure(.unlikelyError))
        }
        forgottenCalls.removeAll { $0.sender == client }
    }
}
