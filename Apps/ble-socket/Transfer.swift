import RadioCLI

/// Says how far bytes have come, and how fast.
struct Transfer {
    private let console: Console
    private let verb: String
    private let total: UInt64?
    private let begin = ContinuousClock.now
    private var lastReport = ContinuousClock.now
    private(set) var byteCount: UInt64 = 0

    /// - Parameters:
    ///   - console: where it is said.
    ///   - verb: what is done with the bytes: `sent`, `received`.
    ///   - total: how many they are, where that is known.
    ///   - done: how many have come before.
    init(_ console: Console, _ verb: String, of total: UInt64? = nil, done: UInt64 = 0) {
        self.console = console
        self.verb = verb
        self.total = total
        first = done
        byteCount = done
    }

    private let first: UInt64

    /// More bytes have come; said once a second.
    mutating func add(_ count: Int) {
        byteCount += UInt64(count)
        guard lastReport.duration(to: .now) >= .seconds(1) else { return }
        lastReport = .now
        console.event([
            "event": "progress", "bytes": .integer(Int(clamping: byteCount)),
            "total": total.map { .integer(Int(clamping: $0)) },
        ])
        guard console.isTransient else { return }
        let share = total.map { " of \(Self.amount($0)), \(percentage(of: $0)) %" } ?? ""
        console.progress("\(verb) \(Self.amount(byteCount))\(share), \(rate)")
    }

    /// All bytes have come.
    ///
    /// - Parameters:
    ///   - note: what else there is to say.
    ///   - isVerified: whether it is certain that they are all, and the right ones.
    func finish(_ note: String, _ isVerified: Bool) {
        let milliseconds = Int(begin.duration(to: .now) / .milliseconds(1))
        console.event([
            "event": .string(verb), "bytes": .integer(Int(clamping: byteCount)),
            "milliseconds": .integer(milliseconds),
            "verified": .string(isVerified ? "yes" : "no"),
        ])
        console.outcome("\(verb) \(byteCount) bytes, \(rate), \(note)")
    }

    private func percentage(of total: UInt64) -> Int {
        Int(min(Double(byteCount) / Double(max(total, 1)), 1) * 100)
    }

    private var rate: String {
        let seconds = max(begin.duration(to: .now) / .seconds(1), 0.001)
        return "\(Self.amount(UInt64(Double(byteCount - first) / seconds)))/s"
    }

    /// A number of bytes for people: three digits, in units of 1,000.
    private static func amount(_ byteCount: UInt64) -> String {
        var (amount, unit) = (Double(byteCount), "B")
        for next in ["kB", "MB", "GB"] where amount >= 1_000 {
            (amount, unit) = (amount / 1_000, next)
        }
        guard unit != "B", amount < 100 else { return "\(Int(amount.rounded())) \(unit)" }
        return "\((amount * 10).rounded() / 10) \(unit)"
    }
}
