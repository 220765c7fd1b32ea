import BLEDBus
import BLELocking
import Logging

/// What is logged at `info` and above: level, adapter, peer and message, a line for each.
final class RecordedLog: Sendable {
    private let recorded = Locked<[String]>([])
    private let added: AsyncStream<String>
    private let adding: AsyncStream<String>.Continuation

    init() {
        (added, adding) = AsyncStream.makeStream()
    }

    var lines: [String] { recorded.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in Recorder(log: self) } }

    /// Waits until a line with a text is logged; for one consumer.
    func wait(for text: String) async {
        for await line in added where line.contains(text) { return }
    }

    private func add(_ line: String) {
        recorded.withLock { $0.append(line) }
        adding.yield(line)
    }

    private struct Recorder: LogHandler {
        let log: RecordedLog
        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            let names = ["adapter", "peer"].compactMap { all[$0].map { "\($0)" } }
            log.add(([event.level.rawValue] + names + ["\(event.message)"]).joined(separator: " "))
        }
    }
}
