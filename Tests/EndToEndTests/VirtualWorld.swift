import DBus
import DBusTesting
import Synchronization
import VirtualBlueZ

/// A virtual BlueZ of a check's own.
final class VirtualWorld: World {
    let bus: BusAddress
    private let privateBus: PrivateBus
    let daemon: VirtualDaemon
    private let adapters: Int
    private let daemonHasEnded = Mutex(false)

    init(_ timing: Timing = Timing(), adapters: Int = 2) async throws {
        privateBus = try PrivateBus()
        bus = BusAddress(privateBus.address)
        self.adapters = adapters
        daemon = try await VirtualDaemon.start(
            on: privateBus.address,
            adapters: adapters,
            timing: timing
        )
    }

    func powerOff(_ adapter: Int) async {
        await daemon.simulatePowerOff(of: adapter)
    }

    func unplug() async {
        for adapter in 0..<adapters { await daemon.simulateUnplugging(of: adapter) }
    }

    func endLink(from adapter: Int, to other: Int) async {
        await daemon.simulateDisconnection(between: adapter, and: other)
    }

    func killDaemon() async {
        daemonHasEnded.withLock { $0 = true }
        await daemon.kill()
    }

    func stopDaemon() async {
        daemonHasEnded.withLock { $0 = true }
        await daemon.stop()
    }

    func replaceDaemon() {}

    func end() async throws {
        if !daemonHasEnded.withLock({ $0 }) { try await expectQuiet() }
    }
}
