public import BLE

/// A device nearby that relays, too.
public struct RelayNeighbour: Hashable, Sendable, Identifiable {
    /// Which device it is.
    public let id: PeerID
    /// What it advertises as its name; empty when it does not.
    public var name: String
    /// How strong its signal was last; `nil` when that is not known.
    public var rssi: RSSI?
    /// Whether this node is connected to it, and gets what it sends.
    public var isHeard: Bool
    /// Whether it gets what this node sends; `nil` where the system does not tell who has subscribed.
    public var hears: Bool?
}
