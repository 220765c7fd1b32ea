import Glibc
import MeshRelay
import RadioCLI

/// A file of counters for Prometheus, which node_exporter's textfile collector reads.
///
/// Source: Prometheus, Exposition formats, Text-based format.
struct MetricsFile {
    private static let pause = Duration.seconds(15)

    let path: String

    /// The file cannot be written.
    private struct Failure: CommandFailure, CustomStringConvertible {
        let description: String

        var exitStatus: ExitStatus { .cannotCreate }
        var codeName: String { "cannotCreate" }
    }

    /// Writes the counters now and then, until cancelled.
    ///
    /// - Parameters:
    ///   - node: whose they are.
    ///   - console: is told when that fails; it is tried again.
    /// - Throws: `CancellationError`; why the first attempt fails, with status 73.
    func keepWriting(_ node: RelayNode, _ console: Console) async throws {
        try write(await NodeCounters(node))
        while true {
            try await Task.sleep(for: Self.pause)
            do {
                try write(await NodeCounters(node))
            } catch {
                console.event(of: error)
                console.failure("\(error)")
            }
        }
    }

    /// Writes them in place of those before, all at once.
    ///
    /// - Parameter counters: what to write.
    /// - Throws: why that fails, with status 73.
    func write(_ counters: NodeCounters) throws {
        let draft = "\(path).\(getpid())"
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw failure() }
        defer { close(file) }
        var rest = Array(Self.text(counters).utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(removing: draft) }
            rest = rest.dropFirst(count)
        }
        // For who collects them, whatever the umask is.
        guard fchmod(file, 0o644) == 0, rename(draft, path) == 0 else {
            throw failure(removing: draft)
        }
    }

    private func failure(removing draft: String? = nil) -> Failure {
        let reason = String(cString: strerror(errno))
        if let draft { unlink(draft) }
        return Failure(description: "Cannot write the counters to \(path): \(reason)")
    }

    private static func text(_ counters: NodeCounters) -> String {
        var lines: [String] = []
        func add(_ name: String, _ kind: String, _ help: String, _ values: [(String, Int)]) {
            lines.append("# HELP dim_relay_\(name) \(help)")
            lines.append("# TYPE dim_relay_\(name) \(kind)")
            for (label, value) in values { lines.append("dim_relay_\(name)\(label) \(value)") }
        }
        func add<Reason: CaseIterable & RawRepresentable<String>>(
            _ name: String,
            _ help: String,
            _ counts: [String: Int],
            by reasons: Reason.Type
        ) {
            let values = reasons.allCases.map {
                ("{reason=\"\($0.rawValue)\"}", counts[$0.rawValue] ?? 0)
            }
            add(name, "counter", help, values)
        }
        add(
            "packets_received_total",
            "counter",
            "Packets from neighbours: as many as delivered, relayed and dropped.",
            [("", counters.received)]
        )
        add(
            "packets_delivered_total",
            "counter",
            "Packets for this node.",
            [("", counters.delivered)]
        )
        add(
            "packets_ignored_total",
            "Packets for this node that mean nothing to it, by reason.",
            counters.ignored,
            by: RelayCounters.IgnoreReason.self
        )
        add("packets_relayed_total", "counter", "Packets sent on.", [("", counters.relayed)])
        add(
            "packets_dropped_total",
            "Packets dropped, by reason.",
            counters.dropped,
            by: RelayCounters.DropReason.self
        )
        add(
            "packets_originated_total",
            "counter",
            "Packets made here.",
            [("", counters.originated)]
        )
        add(
            "packets_replayed_total",
            "counter",
            "Packets sent to neighbours who came later.",
            [("", counters.replayed)]
        )
        add(
            "packets_unsent_total",
            "Packets that were not sent to a neighbour, or more, by reason.",
            counters.unsent,
            by: RelayCounters.UnsentReason.self
        )
        add("packets_kept", "gauge", "Packets kept for who comes later.", [("", counters.queued)])
        add("neighbours", "gauge", "Devices nearby.", [("", counters.neighbours)])
        return lines.map { $0 + "\n" }.joined()
    }
}
