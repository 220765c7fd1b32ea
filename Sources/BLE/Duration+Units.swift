extension Duration {
    /// The duration for people: `10 s`, `1.5 s`, `250 ms`.
    package var inUnits: String {
        let (seconds, attoseconds) = components
        let milliseconds = Int(attoseconds / 1_000_000_000_000_000)
        if seconds == 0, milliseconds != 0 { return "\(milliseconds) ms" }
        guard milliseconds != 0 else { return "\(seconds) s" }
        var digits = String(1000 + abs(milliseconds)).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(seconds).\(digits) s"
    }
}
