import BLEDBusTesting
import VirtualBlueZ

/// A bus of one's own with a quick virtual daemon: a ball is on hci1, raw askers are on the others.
struct BallBus {
    private let bus: PrivateBus
    private let daemon: VirtualDaemon
    private let askers: AskersBus

    init(adapters: Int) async throws {
        let timing = Timing(
            connecting: .milliseconds(1),
            resolving: .milliseconds(2),
            disconnecting: .milliseconds(20)
        )
        bus = try await PrivateBus.start()
        daemon = try await VirtualDaemon.start(on: bus.address, adapters: adapters, timing: timing)
        askers = try await AskersBus(bus.address)
    }

    var address: String { bus.address }

    /// An asker that is subscribed to replies.
    func asker(_ number: Int = 0) async throws -> RawAsker {
        let asker = try await RawAsker("hci\(number)", ball: 1, on: askers)
        try await asker.subscribe(to: RawAsker.reply)
        return asker
    }
}
