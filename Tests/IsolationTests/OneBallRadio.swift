import BLE

/// A radio near one ball, over which a ball can be published too.
struct OneBallRadio: CentralRadio, PeripheralRadio {
    let executor: any RadioExecutor = RadioQueue()

    var state: RadioState { .on }

    func states() async -> AsyncStream<RadioState> {
        AsyncStream { $0.yield(.on) }
    }

    func scan(_ filter: ScanFilter) async throws -> AsyncThrowingStream<ScanEvent, any Error> {
        let ball = Sighting(
            peer: PeerID(rawValue: "ball"),
            name: "Ball",
            rssi: RSSI(-50),
            serviceUUIDs: []
        )
        return AsyncThrowingStream { $0.yield(.seen(ball)) }
    }

    func connect(
        to peer: PeerID,
        options: ConnectionOptions
    ) async throws -> any Link {
        throw RadioError(.connectionFailed, "there is no link to \(peer)")
    }

    func publish(
        _ services: [GATTService],
        advertising advertisement: Advertisement?,
        options: PublicationOptions,
        responder: any GATTResponder
    ) async throws -> any Publication {
        Published()
    }

    func advertise(_ advertisement: Advertisement) async throws -> any Advertising {
        throw RadioError(.unsupported, "this radio advertises what it publishes alone")
    }

    private struct Published: Publication {
        func update(_ characteristic: AttributeID, to value: [UInt8]) async throws {}
        func indicate(
            _ characteristic: AttributeID,
            to value: [UInt8]
        ) async throws -> Confirmation { .unconfirmed }
        func disconnect(_ central: PeerID) async {}
        func withdraw() async {}
    }
}
