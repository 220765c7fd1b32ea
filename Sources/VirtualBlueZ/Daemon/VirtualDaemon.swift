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
    nonisolated var timing: Timing { setup.timing }
    nonisolated var behavior: Behavior { setup.version.behavior }

    var adapters: [Int: VirtualAdapter] = [:]
    var air = Air()

    /// What is known of devices whose adapter is unplugged.
    var remembered: [DeviceID: [String: Value]] = [:]

    /// What it has left behind; `nil` while it runs.
    private(set) var remains: Remains?

    var isRunning: Bool { remains == nil }

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

    var schedule = Schedule()
    private var alarm: (due: Duration, task: Task<Void, Never>)?

    /// The connection's thread, so that messages are handled in the order of the bus.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

    private init(_ connection: Connection, _ setup: Setup) {
        self.connection = connection
        self.setup = setup
        clock = DaemonClock(setup.clock)
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
    ///   - clock: what measures that.
    /// - Returns: the daemon, to be stopped.
    /// - Throws: ``VirtualDaemonError`` when the bus can't be reached or has an `org.bluez`.
    public static func start(
        on address: String,
        adapters: Int = 2,
        version: BlueZVersion = .v5_66,
        mtu: Int = 517,
        timing: Timing = Timing(),
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws -> VirtualDaemon {
        precondition((1...128).contains(adapters), "\(adapters) adapters")
        precondition(AttributeLimits.mtus.contains(mtu), "an MTU of \(mtu)")
        return try await start(
            Setup(address: address, version: version, mtu: mtu, timing: timing, clock: clock),
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
        exportRoot()
        try await connection.requestName(Self.busName)
        air = remains.air
        remembered = remains.devices
        for index in remains.adapters { addAdapter(index) }
    }

    /// Ends the daemon in order: links end, objects go, advertisements are released.
    ///
    /// Does nothing when it has ended.
    public func stop() async {
        guard isRunning else { return }
        let plugged = adapters.keys.sorted()
        powerOffAll()
        unexport(Self.path)
        for index in plugged { removeAdapter(index) }
        end(plugged)
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
        end(adapters.keys.sorted())
    }

    private func end(_ plugged: [Int]) {
        remains = Remains(adapters: plugged, air: air, devices: remembered)
        alarm?.task.cancel()
        alarm = nil
        schedule.cancelAll()
        connection.assumeIsolated { $0.close() }
    }

    // MARK: - Schedule

    /// Lets something happen after a time.
    func set(_ event: Schedule.Event, after delay: Duration) {
        schedule.set(event, at: clock.elapsed() + delay)
        arm()
    }

    func cancel(_ event: Schedule.Event) {
        schedule.cancel(event)
        arm()
    }

    private func arm() {
        guard isRunning, schedule.next != alarm?.due else { return }
        alarm?.task.cancel()
        alarm = schedule.next.map { due in
            let task = Task { [weak self, clock] in
                do {
                    try await clock.sleep(due)
                } catch {
                    // Another alarm has taken this one's place.
                    return
                }
                await self?.ring()
            }
            return (due, task)
        }
    }

    private func ring() {
        alarm = nil
        // Not what becomes due meanwhile: calls have their turn in between.
        let now = clock.elapsed()
        while let event = schedule.popDue(at: now) { happen(event) }
        arm()
    }

    private func happen(_ event: Schedule.Event) {
        switch event {
        case .advertisingReport(let adapter): report(to: adapter)
        case .connection(let device): finishConnecting(device)
        case .connectionFailure(let device): failConnecting(device)
        case .resolution(let device): resolve(device)
        case .disconnection(let device): finishDisconnecting(device)
        case .removal(let device): remove(device)
        case .handlerTimeout(let operation): finish(operation, .failure(.unlikelyError))
        case .commands(let device): endBurst(of: device)
        case .crash: crash()
        }
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
    }
}
