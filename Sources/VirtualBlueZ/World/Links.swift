/// The links between adapters; two of them have one at most.
struct Links: Sendable {
    private var links: [AdapterPair: Link] = [:]
    private var lastNumber = 0

    subscript(adapter: Int, other: Int) -> Link? {
        get { links[AdapterPair(adapter, other)] }
        set { links[AdapterPair(adapter, other)] = newValue }
    }

    /// How many packets and commands are on their way.
    var pendingCount: Int { links.values.reduce(0) { $0 + $1.pendingCount } }

    /// Makes a link, in place of one that is over.
    mutating func add(
        from caller: Int,
        to called: Int,
        mtu: Int = AttributeLimits.maximumMTU
    ) {
        lastNumber += 1
        self[caller, called] = Link(number: lastNumber, from: caller, to: called, mtu: mtu)
    }

    mutating func removeAll() {
        links = [:]
    }
}
