internal import BLEDBus

/// A daemon's levers, on its bus, for programs in any language; and what outlasts the daemon.
///
/// It owns the name `VirtualBlueZ.World` with a connection of its own, so that it is there while
/// the daemon is dead. Its object `/world` has the interface `VirtualBlueZ.World1`:
///
/// | method | what happens |
/// |---|---|
/// | `Kill()` | the daemon dies, as by SIGKILL |
/// | `Stop()` | the daemon ends in order |
/// | `Start()` | the daemon begins anew, with the adapters that are plugged in; it turns them all on |
/// | `Hang()`, `Continue()` | the daemon answers nothing, as by SIGSTOP; it goes on |
/// | `PassTime(u milliseconds)` | time passes on a ``ManualClock`` |
/// | `Unplug(u adapter)` | an adapter is pulled out |
/// | `Plug(u adapter)` | an adapter is plugged in |
/// | `PlugAs(u adapter, u number)` | it is plugged in under the name `hci` and another number |
/// | `PowerOff(u adapter)`, `PowerOn(u adapter)` | an adapter is turned off, on |
/// | `Block(u adapter)`, `Unblock(u adapter)` | an adapter is blocked, as by rfkill; it no longer is |
/// | `Reset(u adapter)` | an adapter is reset; its peers notice when the supervision time-out is over |
/// | `Silence(u adapter)`, `Speak(u adapter)` | its host replies to nothing any more; it does again |
/// | `Disconnect(u adapter, u other)` | the link between two adapters is lost |
/// | `LoseLink(u adapter, u other)` | it goes dead; both notice at the supervision time-out |
/// | `SetProximity(u adapter, u other, s proximity)` | two adapters are `immediate`, `near`, `far`, \
/// `outOfRange`, or receive each other with so many dBm (`-70`) from now on |
/// | `SetPath(u adapter, u other, s steps)` | they move: `0:near 5000:-80 9000:outOfRange`, \
/// milliseconds from now and a proximity; nothing ends a path |
/// | `SetLinkQuality(u adapter, u other, d loss, u milliseconds)` | of their packets a part is lost, \
/// 0…1, and each of a link takes a time |
/// | `ExchangeMTU(u adapter, u other, u mtu)` | they exchange another MTU, greater than theirs |
/// | `AbortConnections(u adapter, u other, u times)` | the first's next attempts to connect fail with \
/// le-connection-abort-by-local |
/// | `Wedge(u adapter)` | an adapter makes no connection until its power goes |
/// | `SetOneWay(u adapter, u other, b on)` | nothing arrives that the first sends to the second |
/// | `RemoveService(u adapter, s uuid)`, `HideService(…)` | a service goes, and its peers are told; \
/// are not told |
/// | `RestoreService(u adapter, s uuid)` | it comes back, with other handles |
/// | `KeepServices(u adapter, u other)` | the first takes the other to serve what it serves now, until it \
/// forgets it |
/// | `ResolveEarly(u adapter, u other, u times)` | at the first, `ServicesResolved` becomes true before \
/// the other has objects |
/// | `ResolveNever(u adapter, u other, u times)` | it does not, on so many connections |
/// | `ResolveLate(u adapter, u other, u milliseconds, u times)` | it does so much later |
/// | `LoseNotifications(u adapter, u other, u times)` | the other's next notifications are lost to the \
/// first |
/// | `DoubleNotifications(u adapter, u other, u times)` | they are told twice |
/// | `DelayNotifications(u adapter, u other, u milliseconds, u times)` | they are told late |
/// | `KeepConfirmations(u adapter, u other, b on)` | the first confirms none of the other's \
/// indications |
/// | `Confirm(u adapter, u other)` | it confirms what it has of them |
/// | `ForgetAfterScan(u adapter, b on)` | an adapter forgets devices as soon as its scan ends |
/// | `Forget(u adapter, u other)` | the first forgets the other now |
/// | `FailCall(s method, s error, s text, u times)` | calls of a method fail with an error |
/// | `RefuseCall(s method, u times)` | they fail with InProgress, in BlueZ's words |
/// | `DelayCall(s method, u milliseconds, u times)` | they are handled late |
/// | `DelayReply(s method, u milliseconds, u times)` | they are replied to late |
/// | `ReplyAfterNotification(s method, u times)` | they are replied to after the characteristic's \
/// next notification |
/// | `IgnoreCall(s method, u times)` | they do nothing and get no reply |
/// | `LoseReply(s method, u times)` | they do what they should, and get no reply |
/// | `CrashOnCall(s method)` | the daemon dies when the next one comes, without a reply |
/// | `ClearCallFaults()` | calls are as they should be again |
/// | `ForeignStartDiscovery(u adapter)`, `ForeignStopDiscovery(…)` | another program scans; no more |
/// | `ForeignConnect(u adapter, u other)`, `ForeignDisconnect(…)` | it connects; disconnects |
/// | `ForeignRead(u adapter, u other, s uuid)` | it reads the other's characteristic |
/// | `ForeignStartNotify(u adapter, u other, s uuid)`, `ForeignStopNotify(…)` | it subscribes; no more |
/// | `ForeignAcquireNotify(u adapter, u other, s uuid)`, `ForeignAcquireWrite(…)` | it holds the socket |
/// | `ForeignAdvertise(u adapter, u count)` | it advertises so often |
/// | `ForeignLeave()` | it leaves the bus |
///
/// Adapters are numbers, 0…127 for `hci0` to `hci127`. A method of the daemon's has the interface's
/// name, a dot, its own: `org.bluez.Device1.Connect`; 0 times of such calls are all that come, of all
/// else never. A method returns when all has been told: what the daemon has to say of it was sent to
/// its clients before. Of a daemon that hangs this is nothing. Calls are handled one at a time. What
/// can't be is refused with `VirtualBlueZ.Error.InvalidArguments`, what makes no sense at the time
/// with `VirtualBlueZ.Error.Failed`, and a text that says why. The foreign program waits 5 s for a
/// reply. The property `Seed` (`t`) tells the daemon's seed.
///
/// Faults of calls, notifications and resolutions, and what hangs or is silent, belong to the daemon:
/// one that starts has none. Proximities, paths, link qualities and blocks stay.
///
/// ```swift
/// let daemon = try await VirtualDaemon.start(on: bus.address)
/// let world = try await VirtualWorld.open(for: daemon)
/// // … a program that calls VirtualBlueZ.World …
/// await world.close()
/// ```
public actor VirtualWorld {
    private static let busName = "VirtualBlueZ.World"
    private static let path: ObjectPath = "/world"
    private static let interface = "VirtualBlueZ.World1"

    /// The methods with their arguments, `Plug(u adapter)`, and what happens, in a few words.
    public static let levers: [(usage: String, text: String)] =
        Lever.all.map { (usage: $0.usage, text: $0.text) }

    /// The daemon that runs, or the last that did.
    public private(set) var daemon: VirtualDaemon

    private nonisolated let connection: Connection

    /// What is to be done, one after the other.
    private nonisolated let work: AsyncStream<Work>.Continuation
    private var worker: Task<Void, Never>?

    typealias Work = @Sendable (isolated VirtualWorld) async -> Void

    /// The steps of a script that are still to come.
    var steps: [(due: Duration, step: FaultScript.Step)] = []
    var onFailure: @Sendable (FaultScript.Step, any Error) -> Void = { _, _ in }
    var stepAlarm: Task<Void, Never>?

    /// Whether no step is pulled, and no time let pass, any more.
    private(set) var isClosing = false

    private var foreignProgram: ForeignClient?

    /// Who has the daemon's name, as the bus says.
    private var owner: String?
    private var waitingForOwner: CheckedContinuation<Void, Never>?

    /// The connection's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

    private init(
        _ daemon: VirtualDaemon,
        _ connection: Connection,
        _ work: AsyncStream<Work>.Continuation
    ) {
        self.daemon = daemon
        self.connection = connection
        self.work = work
    }

    deinit {
        worker?.cancel()
        stepAlarm?.cancel()
    }

    /// Offers the levers of a daemon on its bus; returns when they are there.
    ///
    /// - Parameter daemon: a daemon that runs.
    /// - Returns: the levers, to be closed.
    /// - Throws: ``VirtualDaemonError`` when the bus can't be reached or has such levers.
    public static func open(for daemon: VirtualDaemon) async throws -> VirtualWorld {
        let address = daemon.setup.address
        do {
            let connection = try await Connection.open(BusAddress(address))
            let (stream, work) = AsyncStream.makeStream(of: Work.self)
            let world = VirtualWorld(daemon, connection, work)
            try await world.begin(stream)
            return world
        } catch {
            throw VirtualDaemonError("offering \(busName) on \(address)", error)
        }
    }

    /// Takes the levers off the bus; the daemon that runs is stopped before, and no more time passes for `PassTime`.
    public func close() async {
        isClosing = true
        stepAlarm?.cancel()
        await daemon.endTime()
        // A `Start` may be under way, and its daemon is to be stopped too.
        work.finish()
        await worker?.value
        await foreignProgram?.leave()
        await daemon.stop()
        await connection.close()
        resumeWaiting()
    }

    private func begin(_ stream: AsyncStream<Work>) async throws {
        try await connection.watchOwner(of: VirtualDaemon.busName) { [weak self] owner in
            self?.assumeIsolated { $0.ownerChanged(owner) }
        }
        await connection.onDisconnect { [weak self] _ in
            self?.assumeIsolated { $0.ownerChanged(nil) }
        }
        let methods = Lever.all.map { lever in
            ExportedInterface.Method(
                lever.name,
                arguments: lever.arguments.map { ExportedInterface.Argument($0.name, $0.type) }
            ) { [work] call in
                work.yield { await $0.handle(call, lever) }
            }
        }
        let interface = ExportedInterface(
            Self.interface,
            methods: methods,
            properties: [ExportedInterface.Property("Seed", "t")],
            values: ["Seed": .uint64(daemon.seed)]
        )
        try await connection.export([interface], at: Self.path)
        worker = Task { [weak self] in
            for await work in stream {
                guard let self else { return }
                await work(self)
            }
        }
        try await connection.requestName(Self.busName)
    }

    // MARK: - Calls

    /// Lets something be done when all before it has been.
    ///
    /// - Returns: whether the world is not closed.
    func submit(_ work: @escaping Work) -> Bool {
        if case .terminated = self.work.yield(work) { false } else { true }
    }

    private func handle(_ call: MethodCall, _ lever: Lever) async {
        do {
            try await lever.pull(in: self, call.arguments)
            call.reply()
        } catch let error as ErrorReply {
            call.fail(error)
        } catch {
            call.fail(.leverFailed("\(error)"))
        }
    }

    func end(_ end: (VirtualDaemon) async -> Void) async throws {
        guard await daemon.isRunning else { throw ErrorReply.notRunning }
        await end(daemon)
        await waitForLoss(of: await daemon.connection.uniqueName)
    }

    func start() async throws {
        guard await !daemon.isRunning else {
            throw ErrorReply.leverFailed("bluetoothd runs already")
        }
        // One that has died by itself may still have its name.
        await waitForLoss(of: await daemon.connection.uniqueName)
        daemon = try await VirtualDaemon.start(
            daemon.setup,
            in: daemon.world,
            with: daemon.storage
        )
    }

    // MARK: - A foreign program

    /// The foreign program, on the bus from its first lever on.
    func foreignClient() async throws -> ForeignClient {
        guard await daemon.isRunning else { throw ErrorReply.notRunning }
        guard await !daemon.faults.isHanging else {
            throw ErrorReply.leverFailed("bluetoothd hangs, and would not reply")
        }
        if let foreignProgram { return foreignProgram }
        let foreignProgram = try await ForeignClient.open(on: daemon.setup.address)
        self.foreignProgram = foreignProgram
        return foreignProgram
    }

    func endForeignClient() async throws {
        guard let foreignProgram else {
            throw ErrorReply.leverFailed("no foreign program is there")
        }
        self.foreignProgram = nil
        await foreignProgram.leave()
    }

    // MARK: - The daemon's name

    private func ownerChanged(_ owner: String?) {
        self.owner = owner
        resumeWaiting()
    }

    private func resumeWaiting() {
        waitingForOwner?.resume()
        waitingForOwner = nil
    }

    private func waitForLoss(of name: String) async {
        guard owner == name else { return }
        await withCheckedContinuation { continuation in
            // The actor may have done something else before this.
            if owner == name { waitingForOwner = continuation } else { continuation.resume() }
        }
    }
}
