internal import BLE

/// From one radio to another.
struct Route: Hashable {
    let from: PeerID
    let to: PeerID

    var reversed: Route { Route(from: to, to: from) }
}

/// Two radios, whichever comes first.
struct Pair: Hashable {
    private let radios: Set<PeerID>

    init(_ one: PeerID, _ other: PeerID) {
        radios = [one, other]
    }
}

extension Dictionary where Key == Int {
    /// The values in the order of their numbers: a dictionary's own order is another one in each process.
    var ordered: [(key: Int, value: Value)] { sorted { $0.key < $1.key } }
}
