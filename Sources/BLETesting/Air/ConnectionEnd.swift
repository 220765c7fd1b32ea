internal import BLE

/// What one radio knows of a connection.
///
/// Both ends begin at once; the other one ends when it is told.
struct ConnectionEnd {
    /// Which connection of the two radios it is.
    let connection: Int
    /// Whether this radio made it: then it lasts as long as its links.
    let isMaker: Bool
    /// What is asked of the other end.
    var client: GATTClient
    /// Which links have characteristics for themselves.
    var access = ExclusiveAccess()
    /// What the other end has subscribed to.
    var subscriptions: Set<Target> = []
    /// Whether a publication is ending it.
    var isBeingDisconnected = false
}

/// An attempt to connect, and who waits for it, by the numbers of their links.
struct Attempt {
    let number: Int
    var waiting: [Int: Promise<MemoryLink>] = [:]
}
