import BLE
import BLETesting
import Testing

@testable import MeshRelay

/// Nodes on radios in memory, time many times as fast.
final class RelayScene: Sendable {
    static let features: [RadioCapabilities.Features] = [
        [.individualNotifications, .namedSubscribers], [],
    ]

    struct Member: Sendable {
        let node: RelayNode
        let radio: MemoryRadio
        let events: AsyncStream<RelayEvent>
    }

    let air: MemoryAir
    let clock = ManualClock()
    private let features: RadioCapabilities.Features

    init(_ features: RadioCapabilities.Features = []) {
        air = MemoryAir(clock: clock)
        self.features = features
    }

    /// A node that is not started.
    func member(
        _ name: String,
        advertisedName: String? = nil,
        generation: RelayGeneration = .both,
        archive: (any RelayArchive)? = nil,
        limits: RelayLimits = RelayLimits(),
        timeouts: RelayTimeouts = RelayTimeouts(),
        mtuBytes: Int = 517,
        room: Int = 16,
        advertisingInterval: Duration? = nil
    ) async throws -> Member {
        var configuration = MemoryRadio.Configuration()
        configuration.features = features
        configuration.mtuBytes = mtuBytes
        configuration.connectionCount = room
        if let advertisingInterval { configuration.advertisingInterval = advertisingInterval }
        let radio = await air.radio(name, configuration)
        let node = RelayNode(
            radio: radio,
            identity: RelayIdentity(),
            address: try RelayAddress("\(name)#1234"),
            advertisedName: advertisedName,
            generation: generation,
            archive: archive,
            limits: limits,
            timeouts: timeouts,
            clock: clock
        )
        return Member(node: node, radio: radio, events: await node.events)
    }

    /// Nodes that know each other's keys.
    func members(_ names: String...) async throws -> [Member] {
        var members: [Member] = []
        for name in names { members.append(try await member(name)) }
        for one in members {
            for other in members where other.node !== one.node {
                try await one.node.add(other.node.link)
            }
        }
        return members
    }

    /// A radio of another program, whose signals one of the nodes does not receive.
    func radio(_ name: String, mtuBytes: Int = 517, awayFrom member: Member) async -> MemoryRadio {
        var configuration = MemoryRadio.Configuration()
        configuration.mtuBytes = mtuBytes
        let radio = await air.radio(name, configuration)
        await air.simulateProximityChange(to: nil, between: radio, and: member.radio)
        return radio
    }

    /// Two that don't receive each other's signals.
    func separate(_ one: Member, _ other: Member) async {
        await air.simulateProximityChange(to: nil, between: one.radio, and: other.radio)
    }

    /// Two that receive each other's signals again.
    func unite(_ one: Member, _ other: Member) async {
        await air.simulateProximityChange(to: RSSI(-50), between: one.radio, and: other.radio)
    }

    /// Does something while time passes.
    func pass<Result: Sendable>(
        while work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await clock.run(while: work)
    }

    /// The end of all programs.
    func stop(_ members: [Member]) async throws {
        try await pass { for member in members { await member.node.stop() } }
    }
}

extension RelayScene.Member {
    /// The next message.
    func nextMessage() async throws -> RelayMessage {
        for await case .received(let message) in events { return message }
        throw CancellationError()
    }

    /// Waits until a message has come.
    func waitForDelivery(of id: Int32) async throws {
        for await case .delivered(let delivered, _) in events where delivered == id { return }
        throw CancellationError()
    }

    /// Waits until this node hears so many neighbours.
    func waitUntilConnected(to count: Int) async throws {
        while await node.neighbours.count(where: \.isHeard) < count {
            var next = events.makeAsyncIterator()
            _ = await next.next()
        }
    }
}

extension MemoryRadio {
    /// Connects to the first node that is seen, and knows its services then.
    func connectToNode() async throws -> any Link {
        for try await case .seen(let sighting) in try await scan(
            ScanFilter(service: RelayService.uuid)
        ) {
            let link = try await connect(to: sighting.peer)
            _ = try await link.discoverServices()
            return link
        }
        throw CancellationError()
    }
}

struct NoResponder: GATTResponder {
    func write(
        _ value: [UInt8],
        to characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) {}

    func handle(_ event: PublicationEvent) async {}
}
