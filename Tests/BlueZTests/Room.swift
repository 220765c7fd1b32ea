import BLE
import BLEDBus
import BLEDBusTesting
import Testing
import VirtualBlueZ

@testable import BlueZ

/// Adapters of one virtual daemon: hci0 and the ones after it connect, the last one serves a set of services
/// with all that a characteristic can have.
struct Room {
    static let service: BluetoothUUID = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
    static let other: BluetoothUUID = "180F"
    /// Takes writes of both kinds.
    static let input = AttributeID(
        service: service,
        characteristic: "6E400002-B5A3-F393-E0A9-E50E24DCCA9E"
    )
    static let output = AttributeID(
        service: service,
        characteristic: "6E400003-B5A3-F393-E0A9-E50E24DCCA9E"
    )
    static let signed = AttributeID(service: service, characteristic: "2A05")
    static let level = AttributeID(service: other, characteristic: "2A19")
    static let secondLevel = AttributeID(service: other, characteristic: "2A19", instance: 1)
    static let services = [
        GATTService(
            uuid: service,
            characteristics: [
                GATTCharacteristic(
                    uuid: input.characteristic,
                    properties: [.write, .writeWithoutResponse],
                    descriptors: [.userDescription("In")]
                ),
                GATTCharacteristic(uuid: output.characteristic, properties: .notify),
                GATTCharacteristic(uuid: signed.characteristic, properties: .indicate),
            ]
        ),
        GATTService(
            uuid: other,
            characteristics: [
                GATTCharacteristic(uuid: level.characteristic, properties: [.read, .notify]),
                GATTCharacteristic(uuid: level.characteristic, properties: .read),
            ]
        ),
    ]

    let bus: PrivateBus
    let daemon: VirtualDaemon
    let centrals: [Adapter]
    let serving: Adapter
    let responder = ScriptedResponder()

    init(
        centrals count: Int = 1,
        _ version: BlueZVersion = .v5_66,
        mtu: Int = 517,
        recovery: Recovery = Recovery()
    ) async throws {
        bus = try await PrivateBus.start()
        daemon = try await VirtualDaemon.start(
            on: bus.address,
            adapters: count + 1,
            version: version,
            mtu: mtu,
            timing: Pair.timing
        )
        var centrals: [Adapter] = []
        for number in 0..<count {
            centrals.append(try await Adapter.open("hci\(number)", at: BusAddress(bus.address)))
        }
        self.centrals = centrals
        serving = try await Adapter.open(
            "hci\(count)",
            at: BusAddress(bus.address),
            recovery: recovery
        )
    }

    func publish(
        _ options: PublicationOptions = .lostRefusals
    ) async throws -> any Publication {
        try await serving.publish(
            Self.services,
            advertising: Advertisement(localName: "Room", serviceUUIDs: [Self.service]),
            options: options,
            responder: responder
        )
    }

    /// Who serves, as a central discovers it.
    func find(_ filter: ScanFilter = ScanFilter(service: Self.service)) async throws -> Sighting {
        for try await case .seen(let sighting) in try await centrals[0].scan(filter) {
            return sighting
        }
        throw CancellationError()
    }

    /// A link of a central, its services known.
    func link(_ central: Int = 0) async throws -> any Link {
        for try await case .seen(let sighting) in try await centrals[central].scan(
            ScanFilter(service: Self.service)
        ) {
            return try await centrals[central].link(to: sighting.peer)
        }
        throw CancellationError()
    }

    /// A central that keeps the confirmation of a value back, and the wait for it.
    func keptConfirmation(
        of publication: any Publication
    ) async throws -> (link: any Link, indication: Task<BLE.Confirmation, any Error>) {
        let link = try await link()
        try await link.subscribe(to: Self.signed)
        await daemon.simulateKeptConfirmations(by: 0, to: 1)
        let indication = Task { try await publication.indicate(Self.signed, to: [1]) }
        var events = link.events.makeAsyncIterator()
        #expect(await events.next()?.value == [1])
        return (link, indication)
    }

    func close() async {
        for central in centrals { await central.close() }
        await serving.close()
        await daemon.stop()
    }
}
