import BLE
import BlueZ

/// An adapter whose links and publications are counted for as long as they live.
final class CountedRadio: CentralRadio, PeripheralRadio {
    private let adapter: Adapter
    private let census: Census

    init(_ adapter: Adapter, in census: Census) {
        self.adapter = adapter
        self.census = census
        census.add(adapter, as: .adapter)
    }

    var executor: any RadioExecutor { adapter.executor }

    var state: RadioState {
        get async { await adapter.state }
    }

    func states() async -> AsyncStream<RadioState> {
        await adapter.states()
    }

    func scan(_ filter: ScanFilter) async throws -> AsyncThrowingStream<ScanEvent, any Error> {
        try await adapter.scan(filter)
    }

    func connect(
        to peer: PeerID,
        options: ConnectionOptions
    ) async throws -> any Link {
        let link = try await adapter.connect(to: peer, options: options)
        census.add(link as AnyObject, as: .link)
        return link
    }

    func publish(
        _ services: [GATTService],
        advertising advertisement: Advertisement?,
        options: PublicationOptions,
        responder: any GATTResponder
    ) async throws -> any Publication {
        let publication = try await adapter.publish(
            services,
            advertising: advertisement,
            options: options,
            responder: responder
        )
        census.add(publication as AnyObject, as: .publication)
        return publication
    }

    func advertise(_ advertisement: Advertisement) async throws -> any Advertising {
        try await adapter.advertise(advertisement)
    }
}
