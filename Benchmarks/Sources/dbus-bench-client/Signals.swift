import BLEDBus
import Measuring

/// The `PropertiesChanged` signals of a run, from the first to the last.
struct SignalCount {
    private(set) var report: Report?
    private let wanted: Int
    private var count = 0
    private var check = 0
    private var watch = Stopwatch()

    init(_ wanted: Int) {
        self.wanted = wanted
    }

    mutating func take(_ signal: Message) throws(BusError) {
        if count == 0 { watch = Stopwatch() }
        check += try signal.read(Self.readValue)
        count += 1
        guard count == wanted else { return }
        report = Report(
            mode: "signals",
            count: count,
            wall: watch.wall,
            cpu: watch.cpu,
            check: check
        )
    }

    private static func readValue(_ reader: inout MessageReader) throws(BusError) -> Int {
        var sum = 0
        try reader.skip()
        try reader.readProperties { (name, reader) throws(BusError) in
            if name.equals("Value") {
                sum += try reader.readBytes().sum
            } else {
                try reader.skip()
            }
        }
        return sum
    }
}

extension BenchClient {
    /// Takes in the signals that the server sends at once.
    func signals(_ count: Int) async throws -> Report {
        signalCount = SignalCount(count)
        try await connection.subscribe(
            to: MatchRule(
                interface: "org.freedesktop.DBus.Properties",
                member: "PropertiesChanged"
            )
        ) { signal in
            self.assumeIsolated { $0.take(signal) }
        }
        _ = try await call("Emit", .uint32(UInt32(count)))
        return await withCheckedContinuation { awaitedReport = $0 }
    }

    private func take(_ signal: Message) {
        do {
            try signalCount.take(signal)
        } catch {
            fatalError("\(error)")
        }
        guard let report = signalCount.report else { return }
        awaitedReport?.resume(returning: report)
        awaitedReport = nil
    }
}
