import BLEDBus
import BLELocking
import Foundation
import Testing
import VirtualBlueZ

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
        try await Self.play(
            "fault | \(fault.number) | \(fault)",
            virtualOnlyBecause: fault.virtualOnlyBecause,
            timing: fault.timing,
            adapters: 3
        ) {
            try await FaultScene(fault, in: $0)
        }
    }

    /// Plays a fault in the world of this run, and prints its row.
    ///
    /// - Parameters:
    ///   - row: the beginning of its row.
    ///   - reason: why the real world can't show it, if it can't.
    ///   - timing: how long things take in a virtual world.
    ///   - adapters: how many it needs.
    ///   - begin: makes the scene.
    /// - Throws: what making and playing the scene throws.
    static func play(
        _ row: String,
        virtualOnlyBecause reason: String?,
        timing: Timing,
        adapters: Int,
        _ begin: @escaping @Sendable (any World) async throws -> any PlayedScene
    ) async throws {
        let row = "\(row) | \(WorldKind.name)"
        if let reason, WorldKind.current == .real {
            print("\(row) | not shown: \(reason)")
            return
        }
        let outcome = Locked<FaultScene.Outcome?>(nil)
        try await perform(timing: timing, adapters: adapters) { world in
            let scene = try await begin(world)
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

/// What happens around one fault, from its beginning to its end.
protocol PlayedScene: Sendable {
    /// Lets the fault come and go.
    func play() async throws -> FaultScene.Outcome

    /// Ends what was begun.
    func end() async
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
