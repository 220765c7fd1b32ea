import Glibc

/// Runs the Swift client beside the C client on libdbus and prints how they compare:
/// `dbus-bench BASELINES SWIFT_CLIENT [ROUNDS]`, with the folder of the built C programs.
///
/// The machine is not quiet, so the two take turns, and a ratio is the median of the rounds'
/// ratios, not the ratio of two medians.
@main
enum DBusBench {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 2 else {
            throw BenchError("usage: dbus-bench BASELINES SWIFT_CLIENT [ROUNDS]")
        }
        let folder = arguments[1]
        let rounds = arguments.dropFirst(3).first.flatMap(Int.init) ?? 7

        let bus = try Child([
            // Not on stderr: in a container it complains of a limit that it doesn't need.
            "dbus-daemon", "--nofork", "--syslog-only", "--config-file=\(folder)/bus.conf",
            "--print-address",
        ])
        defer { bus.stop() }
        let address = bus.line()
        guard !address.isEmpty else { throw BenchError("dbus-daemon did not start") }
        setenv("DBUS_BENCH_ADDRESS", address, 1)
        let server = try Child(["\(folder)/server"])
        defer { server.stop() }
        guard server.line() == "ready" else { throw BenchError("the server did not start") }

        print(row("", "C µs", "Swift µs", "ratio", "goal", ""))
        for measure in Measure.all {
            let pairs = try compare(measure, "\(folder)/client_libdbus", arguments[2], rounds)
            let ratio = median(pairs.map { $0.swift / $0.c })
            print(
                row(
                    measure.name,
                    text(median(pairs.map(\.c)), digits: 1),
                    text(median(pairs.map(\.swift)), digits: 1),
                    text(ratio, digits: 2),
                    text(measure.goal, digits: 2),
                    ratio <= measure.goal ? "met" : "missed"
                )
            )
            if ratio > measure.goal, !measure.reason.isEmpty { print("    \(measure.reason)") }
        }
    }

    private static func compare(
        _ measure: Measure,
        _ c: String,
        _ swift: String,
        _ rounds: Int
    ) throws -> [(c: Double, swift: Double)] {
        try (0..<rounds * measure.runs)
            .map { round in
                // Each is the first of the two in every other round.
                let isSwiftFirst = round % 2 == 1
                let first = try measure.run(isSwiftFirst ? swift : c)
                let second = try measure.run(isSwiftFirst ? c : swift)
                guard first.check == second.check else {
                    throw BenchError("\(measure.name): the clients did not do the same work")
                }
                return isSwiftFirst
                    ? (second.microseconds, first.microseconds)
                    : (first.microseconds, second.microseconds)
            }
    }

    private static func median(_ values: [Double]) -> Double {
        values.sorted()[values.count / 2]
    }

    private static func text(_ value: Double, digits: Int) -> String {
        String(unsafeUninitializedCapacity: 32) { buffer in
            withVaList([value]) { arguments in
                buffer.withMemoryRebound(to: CChar.self) {
                    Int(vsnprintf($0.baseAddress, $0.count, "%.\(digits)f", arguments))
                }
            }
        }
    }

    private static func row(_ name: String, _ columns: String...) -> String {
        let padded = columns.map { String(repeating: " ", count: max(0, 10 - $0.count)) + $0 }
        return name + String(repeating: " ", count: max(0, 28 - name.count)) + padded.joined()
    }
}
