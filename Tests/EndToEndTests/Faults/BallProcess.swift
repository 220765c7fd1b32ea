import BLEDBus
import BLELocking
import Foundation

/// A ball in a process of its own, `eightball-answer --json`, which can be killed and stopped.
final class BallProcess: RecordedBall {
    let told = Chronicle()
    private let world: any World
    /// Is there while answers are held back.
    private let gate: URL
    private let process: Locked<Tool?>

    /// Shows itself on hci1.
    init(in world: any World) async throws {
        self.world = world
        process = Locked<Tool?>(nil)
        gate = FileManager.default.temporaryDirectory.appendingPathComponent(
            "eightball-gate-\(UUID().uuidString)"
        )
        try Data().write(to: gate)
        try await start()
    }

    /// Starts it, as a supervisor does one that has ended; returns when it can be found.
    func start() async throws {
        let source =
            "case $(cat) in Slowly*) while [ -e \(gate.path) ]; do sleep 0.1; done;; esac; echo Yes"
        let tool = try Tool(
            "eightball-answer",
            ["--adapter", "hci1", "--json", "--exec", source],
            bus: world.bus.rawValue,
            hear: hear
        )
        process.withLock { $0 = tool }
        try await tool.line(with: #""event":"advertising""#)
    }

    /// Sends the process a signal.
    func send(_ signal: Int32) {
        process.withLock { $0 }?.send(signal)
    }

    /// Waits until the process has ended.
    func end() async {
        await process.withLock { $0 }?.end()
    }

    func letAnswer() {
        // It may be open already.
        try? FileManager.default.removeItem(at: gate)
    }

    func stop() async {
        letAnswer()
        send(SIGTERM)
        await end()
    }

    private func hear(_ line: String) {
        guard let event = Tool.event(line), let name = event["event"] as? String else { return }
        switch name {
        case "radio": told.tell("radio \(event["state"] as? String ?? "")")
        case "rejected": told.tell("rejected (\(event["reason"] as? String ?? ""))")
        case "error":
            let words = ["code", "reason", "stage"].compactMap { event[$0] as? String }
            told.tell("error (\(words.joined(separator: " ")))")
        default: told.tell(name)
        }
    }
}
