internal import BLE

/// What a node knows of a device nearby.
struct PeerRecord: Sendable {
    var neighbour: RelayNeighbour
    /// What the router calls it.
    let number: NeighbourID
    /// While this node is connected to it, or connects.
    var connection: Task<Void, Never>?
    /// How often connecting has failed since it did not.
    var failureCount = 0
    /// Whether it has been connected to as a node.
    var wasNode = false
    /// While it is left alone.
    var resting: Task<Void, Never>?
    /// When it was seen last, by the node's clock.
    var lastSeen: Duration
    /// Whether the radio has seen it, and has not lost it since.
    var isKnown = false
    /// When it last sent something, by the node's clock.
    var lastReceived: Duration?
    /// When it was last sent what is kept, by the node's clock.
    var lastReplay: Duration?
    /// While it waits to be sent that again.
    var replaying: Task<Void, Never>?

    /// Whether nothing is known of it that would be missed.
    var isIdle: Bool { connection == nil && neighbour.hears != true }

    /// Ends all that is done about it, and what waits to be.
    func cancel() {
        for task in [connection, resting, replaying] { task?.cancel() }
    }
}
