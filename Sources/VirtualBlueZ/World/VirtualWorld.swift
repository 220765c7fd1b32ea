internal import DBus

/// A daemon's levers, on its bus, for programs in any language; and what outlasts the daemon.
///
/// It owns the name `VirtualBlueZ.World` with a connection of its own, so that it is there while
/// the daemon is dead. Its object `/world` has the interface `VirtualBlueZ.World1`:
///
/// | method | what happens |
/// |---|---|
/// | `Kill()` | the daemon dies, as by SIGKILL |
/// | `Stop()` | the daemon ends in order |
/// | `Start()` | the daemon begins anew, with the adapters that are plugged in, all of them on |
/// | `Unplug(u adapter)` | an adapter is pulled out |
/// | `Plug(u adapter)` | an adapter is plugged in |
/// | `PowerOff(u adapter)`, `PowerOn(u adapter)` | an adapter is turned off, on |
/// | `Disconnect(u adapter, u other)` | the link between two adapters is lost |
/// | `SetProximity(u adapter, u other, s proximity)` | two adapters are `immediate`, `near`, `far` \
/// or `outOfRange` from now on |
///
/// Adapters are numbers, 0…15 for `hci0` to `hci15`. A method returns when all has been told: what
/// the daemon has to say of it was sent to its clients before. Calls are handled one at a time. What
/// can't be is refused with `VirtualBlueZ.Error.InvalidArguments`, what makes no sense at the time
/// with `VirtualBlueZ.Error.Failed`, and a text that says why.
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

    /// The daemon that runs, or the last that did.
    public private(set) var daemon: VirtualDaemon

    private nonisolated let connection: Connection
    private var calls: Task<Void, Never>?

    /// Who has the daemon's name, as the bus says.
    private var owner: String?
    private var waitingForOwner: CheckedContinuation<Void, Never>?

    /// The connection's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

    private init(_ daemon: VirtualDaemon, _ connection: Connection) {
        self.daemon = daemon
        self.connection = connection
    }

    deinit {
        calls?.cancel()
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
            let world = VirtualWorld(daemon, connection)
            try await world.begin()
            return world
        } catch {
            throw VirtualDaemonError("offering \(busName) on \(address)", error)
        }
    }

    /// Takes the levers off the bus; the daemon that runs is stopped before.
    public func close() async {
        calls?.cancel()
        // A `Start` may be under way, and its daemon is to be stopped too.
        await calls?.value
        await daemon.stop()
        await connection.close()
        resumeWaiting()
    }

    private func begin() async throws {
        try await connection.watchOwner(of: VirtualDaemon.busName) { [weak self] owner in
            self?.assumeIsolated { $0.ownerChanged(owner) }
        }
        await connection.onDisconnect { [weak self] _ in
            self?.assumeIsolated { $0.ownerChanged(nil) }
        }
        let (stream, continuation) = AsyncStream.makeStream(of: MethodCall.self)
        let daemonMethods: [(name: String, arguments: [(String, Signature)])] = [
            ("Kill", []), ("Stop", []), ("Start", []),
        ]
        let methods = (daemonMethods + Lever.methods).map { method in
            ExportedInterface.Method(
                method.name,
                arguments: method.arguments.map { ExportedInterface.Argument($0.0, $0.1) }
            ) { continuation.yield($0) }
        }
        try await connection.export(
            [ExportedInterface(Self.interface, methods: methods)],
            at: Self.path
        )
        calls = Task { [weak self] in
            for await call in stream { await self?.handle(call) }
        }
        try await connection.requestName(Self.busName)
    }

    // MARK: - Calls

    private func handle(_ call: MethodCall) async {
        do {
            switch call.message.member {
            case "Kill": try await end { await $0.kill() }
            case "Stop": try await end { await $0.stop() }
            case "Start": try await start()
            case let member:
                try await daemon.pull(Lever(member ?? "", call.arguments))
                try await hearDaemon()
            }
            call.reply()
        } catch let error as ErrorReply {
            call.fail(error)
        } catch {
            call.fail(.leverFailed("\(error)"))
        }
    }

    private func end(_ end: (VirtualDaemon) async -> Void) async throws {
        guard await daemon.isRunning else { throw ErrorReply.notRunning }
        await end(daemon)
        await waitForLoss(of: await daemon.connection.uniqueName)
    }

    private func start() async throws {
        guard let remains = await daemon.remains else {
            throw ErrorReply.leverFailed("bluetoothd runs already")
        }
        // One that has died by itself may still have its name.
        await waitForLoss(of: await daemon.connection.uniqueName)
        daemon = try await VirtualDaemon.start(daemon.setup, after: remains)
        try await hearDaemon()
    }

    /// Returns when the bus has handed on all that the daemon has said.
    private func hearDaemon() async throws {
        let ping = try Message.methodCall(
            to: VirtualDaemon.busName,
            at: VirtualDaemon.path,
            "org.freedesktop.DBus.Peer",
            "Ping"
        )
        _ = try await connection.call(ping)
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
        await withCheckedContinuation { waitingForOwner = $0 }
    }
}
