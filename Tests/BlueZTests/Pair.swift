import BLE
import BLEDBus
import BLEDBusTesting
import VirtualBlueZ

@testable import BlueZ

/// Two adapters of one virtual daemon: hci0 asks, hci1 answers.
struct Pair {
    static let timing = Timing(
        connecting: .milliseconds(1),
        resolving: .milliseconds(2),
        disconnecting: .milliseconds(20),
        advertisingInterval: .milliseconds(10)
    )

    let bus: PrivateBus
    let daemon: VirtualDaemon
    let asking: Adapter
    let answering: Adapter
    let responder = ScriptedResponder()

    init(_ version: BlueZVersion = .v5_66) async throws {
        bus = try await PrivateBus.start()
        daemon = try await VirtualDaemon.start(
            on: bus.address,
            version: version,
            timing: Self.timing
        )
        asking = try await Adapter.open("hci0", at: BusAddress(bus.address))
        answering = try await Adapter.open("hci1", at: BusAddress(bus.address))
    }

    /// A ball is published, heard, connected to and subscribed to.
    func meet() async throws -> (any Publication, any Link) {
        let publication = try await answering.publish(responder: responder)
        let link = try await connect()
        try await link.subscribe(to: World.answer)
        return (publication, link)
    }

    func connect() async throws -> any Link {
        try await asking.link(to: find().peer)
    }

    /// Who advertises the ball's service.
    func find() async throws -> Sighting {
        let filter = ScanFilter(service: World.service)
        for try await case .seen(let sighting) in try await asking.scan(filter) {
            return sighting
        }
        throw CancellationError()
    }

    func close() async {
        await asking.close()
        await answering.close()
        await daemon.stop()
    }
}
