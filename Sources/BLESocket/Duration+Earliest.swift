extension Duration {
    /// The earliest of several times; `nil` when there is none.
    static func earliest(_ times: Duration?...) -> Duration? {
        var earliest: Duration?
        for case let time? in times where earliest.map({ time < $0 }) ?? true { earliest = time }
        return earliest
    }
}
