internal import BLE

extension NeighbourID {
    /// All who have subscribed, where the system does not say who they are.
    static let everybody = NeighbourID(0)
}

/// The service while it is published, and what waits to be sent over it.
struct PublishedRelay: Sendable {
    /// How many values wait.
    ///
    /// A radio takes them in milliseconds; beyond it neighbours miss what they may get from others.
    static let maximumWaitingCount = 1_024

    struct Outgoing: Sendable {
        let packet: WirePacket
        let neighbours: [NeighbourID]
    }

    /// Events of another publication are dropped.
    let number: Int
    /// Whether each neighbour is known, and can be notified alone.
    let isIndividual: Bool
    var publication: (any Publication)?
    /// For each neighbour that is connected, where the system does not tell who has subscribed: sends what is kept until it must have.
    var subscribing: [PeerID: Task<Void, Never>] = [:]
    /// The end, which the system may tell before the publication is there.
    let end = Promise<Void>()
    /// The values to be sent, in order; for one consumer.
    let outgoing: AsyncStream<Outgoing>
    private let continuation: AsyncStream<Outgoing>.Continuation

    init(number: Int, isIndividual: Bool) {
        self.number = number
        self.isIndividual = isIndividual
        (outgoing, continuation) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(Self.maximumWaitingCount)
        )
    }

    /// Sends a packet after those before.
    ///
    /// - Returns: whether there was room for it; else the oldest that waited is not sent.
    func send(_ packet: WirePacket, to neighbours: [NeighbourID]) -> Bool {
        let result = continuation.yield(Outgoing(packet: packet, neighbours: neighbours))
        return if case .dropped = result { false } else { true }
    }

    /// Sends no more.
    func finish() {
        continuation.finish()
        for task in subscribing.values { task.cancel() }
    }
}

/// Hands requests of centrals to a node.
struct RelayResponder: PromptResponder {
    private let node: WeakNode
    private let number: Int

    init(_ node: RelayNode, _ number: Int) {
        self.node = WeakNode(node)
        self.number = number
    }

    func didPublish(_ publication: any Publication) async {
        await node.value?.didPublish(publication, number)
    }

    /// No app writes; what somebody writes is taken as what they would notify.
    func write(
        _ value: [UInt8],
        to characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) {
        guard let node = node.value else { throw .unlikelyError }
        guard request.offset == 0 else { throw .invalidOffset }
        await node.receive(value, from: request.central)
    }

    func handle(_ event: PublicationEvent) async {
        await node.value?.handle(event, of: number)
    }
}

/// A node that its publication does not keep.
private final class WeakNode: Sendable {
    weak let value: RelayNode?

    init(_ value: RelayNode) {
        self.value = value
    }
}
