import BLEDBus
import BLEDBusTesting
import BLELocking
import VirtualBlueZ

/// A virtual BlueZ of a check's own.
final class VirtualWorld: World {
    let bus: BusAddress
    private let privateBus: PrivateBus
    private let busHasEnded = Locked(false)
    private let levers: VirtualBlueZ.VirtualWorld
    private let lever: Connection
    private let adapters: Int

    init(
        _ timing: Timing = Timing(),
        adapters: Int = 2,
        _ version: BlueZVersion = .v5_66,
        mtu: Int = 517
    ) async throws {
        privateBus = try await PrivateBus.start()
        bus = BusAddress(privateBus.address)
        self.adapters = adapters
        let daemon = try await VirtualDaemon.start(
            on: privateBus.address,
            adapters: adapters,
            version: version,
            mtu: mtu,
            timing: timing
        )
        levers = try await VirtualBlueZ.VirtualWorld.open(for: daemon)
        lever = try await Connection.open(bus)
    }

    /// The daemon that runs, or the last that did.
    var daemon: VirtualDaemon {
        get async { await levers.daemon }
    }

    /// Pulls a lever, which returns when it is done.
    func pull(_ name: String, _ arguments: [Value] = []) async throws {
        let call = try Message.methodCall(
            to: "VirtualBlueZ.World",
            at: "/world",
            "VirtualBlueZ.World1",
            name,
            arguments
        )
        _ = try await lever.call(call)
    }

    func powerOff(_ adapter: Int) async {
        await daemon.simulatePowerOff(of: adapter)
    }

    func powerOn(_ adapter: Int) async {
        await daemon.simulatePowerOn(of: adapter)
    }

    func block() async throws {
        for adapter in 0..<adapters { try await pull("Block", [.uint32(UInt32(adapter))]) }
    }

    func unblock() async throws {
        for adapter in 0..<adapters { try await pull("Unblock", [.uint32(UInt32(adapter))]) }
    }

    func unplug() async {
        for adapter in 0..<adapters { await daemon.simulateUnplugging(of: adapter) }
    }

    func plug() async {
        for adapter in 0..<adapters { await daemon.simulatePlugging(of: adapter) }
    }

    func endLink(from adapter: Int, to other: Int) async {
        await daemon.simulateDisconnection(between: adapter, and: other)
    }

    func killDaemon() async throws {
        try await pull("Kill")
    }

    func stopDaemon() async throws {
        try await pull("Stop")
    }

    func startDaemon() async throws {
        try await pull("Start")
    }

    func pauseDaemon() async throws {
        try await pull("Hang")
    }

    func resumeDaemon() async throws {
        try await pull("Continue")
    }

    func replaceDaemon() {}

    /// Stops the bus's process, so that it hands nothing on.
    func pauseBus() {
        privateBus.suspend()
    }

    /// Lets it go on.
    func resumeBus() {
        privateBus.resume()
    }

    /// Ends the bus, and with it all that is on it.
    func endBus() {
        busHasEnded.withLock { $0 = true }
        privateBus.stop()
    }

    func end() async throws {
        guard !busHasEnded.withLock({ $0 }) else { return }
        if try await lever.owner(of: "org.bluez") != nil { try await expectQuiet() }
        await levers.close()
    }
}
