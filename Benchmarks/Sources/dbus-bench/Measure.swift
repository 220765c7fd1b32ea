import Glibc

/// What the clients are run for, and how much of C's time Swift may take.
struct Measure {
    /// What is measured, in microseconds.
    private enum Quantity {
        /// The median time from call to reply.
        case medianWall
        /// The CPU time of one call or signal.
        case cpuOfOne
        /// The CPU time of everything that is done at once.
        case cpuOfAll
        /// The time from the process's start to what it prints: the moment of its first reply.
        case wallToReply
    }

    let name: String
    let goal: Double
    private let quantity: Quantity
    private let arguments: [String]
    /// What is to be said where the goal is missed.
    var reason = ""
    /// How often a client is run in a round; short runs scatter more.
    var runs = 1

    /// What each ratio is to stay below.
    static let all = [
        Measure(
            name: "call, wall",
            goal: 1.10,
            quantity: .medianWall,
            arguments: ["seq", "3000"]
        ),
        Measure(
            name: "call, 64 in flight, CPU",
            goal: 1.50,
            quantity: .cpuOfOne,
            arguments: ["pipe", "20000", "64"]
        ),
        Measure(
            name: "PropertiesChanged, CPU",
            goal: 0.90,
            quantity: .cpuOfOne,
            arguments: ["signals", "20000"],
            reason: "C that reads nothing of them (client_libdbus unread) takes 0.94 to 0.98"
        ),
        Measure(
            name: "tree of 5000 devices, CPU",
            goal: 0.60,
            quantity: .cpuOfAll,
            arguments: ["managed", "5000", "3"]
        ),
        Measure(
            name: "start to first reply, wall",
            goal: 2.50,
            quantity: .wallToReply,
            arguments: ["cold"],
            runs: 5
        ),
    ]

    /// Runs a client once.
    ///
    /// - Returns: the time it took, in microseconds; and the sum of what it read, which is the same
    ///   for all clients that do the same work.
    func run(_ client: String) throws -> (microseconds: Double, check: Int) {
        let start = Self.now
        let child = try Child([client] + arguments)
        let line = child.line()
        try child.wait()
        if case .wallToReply = quantity {
            guard let end = Double(line) else { throw BenchError("\(client) printed '\(line)'") }
            return ((end - start) / 1000, 0)
        }
        let nanoseconds =
            switch quantity {
            case .medianWall: try number("p50_ns", in: line)
            case .cpuOfOne: try number("cpu_ns", in: line) / number("n", in: line)
            case .cpuOfAll, .wallToReply: try number("cpu_ns", in: line)
            }
        return (nanoseconds / 1000, Int(try number("check", in: line)))
    }

    /// A number of the flat JSON object that a client prints.
    ///
    /// Foundation's decoder would bring the linker's warning about its `mktemp` into each build.
    private func number(_ key: String, in line: String) throws(BenchError) -> Double {
        for field in line.split(whereSeparator: { "{,}".contains($0) }) {
            let parts = field.split(separator: ":")
            if parts.count == 2, parts[0] == "\"\(key)\"", let number = Double(parts[1]) {
                return number
            }
        }
        throw BenchError("'\(line)' has no number '\(key)'")
    }

    /// The clock that the clients print, in nanoseconds.
    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
