/// Two adapters, in no order.
struct AdapterPair: Hashable, Sendable {
    let lower: Int
    let higher: Int

    init(_ adapter: Int, _ other: Int) {
        (lower, higher) = adapter < other ? (adapter, other) : (other, adapter)
    }
}
