import DBus
import Foundation
import Testing

/// Each fault is told, nothing is lost by it, and asker and ball go on; its row is printed.
@Suite("A fault", .timeLimit(.oneCheck))
struct FaultTests {
    /// What Scripts/faults wants: `all` or `quick`; `nil` when it does not run this.
    private static let extent = ProcessInfo.processInfo.environment["EIGHTBALL_FAULTS"]

    /// Whether faults are to be shown: in the real world, where it takes long, for Scripts/faults only.
    static let isWanted = WorldKind.current == .virtual || extent != nil

    /// Whether one fault of each kind will do.
    static let isQuick = extent == "quick"

    /// Whether nothing is to be left out or done less often.
    static let isAll = extent == "all"

    /// What a fault's name has to contain, if not all are wanted.
    static let part = ProcessInfo.processInfo.environment["EIGHTBALL_FAULT"] ?? ""

    @Test(.enabled(if: isWanted, "Scripts/faults runs it"), arguments: Fault.wanted)
    func `is told, and is over when it is over`(fault: Fault) async throws {
        let row = "fault | \(fault.number) | \(fault) | \(WorldKind.name)"
        if let reason = fault.virtualOnlyBecause, WorldKind.current == .real {
            print("\(row) | not shown: \(reason)")
            return
        }
        let outcome = Locked<FaultScene.Outcome?>(nil)
        try await perform(timing: fault.timing, adapters: 3) { world in
            let scene = try await FaultScene(fault, in: world)
            let result: Result<FaultScene.Outcome, any Error>
            do { result = .success(try await scene.play()) } catch { result = .failure(error) }
            await scene.end()
            let played = try result.get()
            outcome.withLock { $0 = played }
        } telling: { hasFailed in
            let text = outcome.withLock { $0 }?.description ?? "- | - | - | - | -"
            print("\(row) | \(hasFailed ? "failed" : "passed") | \(text)")
        }
    }
}

extension FaultScene.Outcome: CustomStringConvertible {
    /// What the asker was told, what the ball was, time to recovery, questions, those lost.
    var description: String {
        let time = recovery.map { duration in
            let (seconds, attoseconds) = duration.components
            return String(format: "%.1f s", Double(seconds) + Double(attoseconds) / 1e18)
        }
        let words = [
            asker.joined(separator: ", "), ball.joined(separator: ", "),
            (time ?? "never") + (remark.isEmpty ? "" : " (\(remark))"),
            "\(askedCount)", "\(lostCount)",
        ]
        return words.map { $0.isEmpty ? "-" : $0 }.joined(separator: " | ")
    }
}
