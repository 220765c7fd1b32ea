import DBus
import Testing

/// What a program has begun ends with a typed error, and nothing of it is left; its row is printed.
@Suite("A fault of the radio", .timeLimit(.oneCheck))
struct RadioFaultTests {
    @Test(
        .enabled(if: FaultTests.isWanted, "Scripts/faults runs it"),
        arguments: RadioFault.wanted
    )
    func `ends what was begun, and is over when it is over`(fault: RadioFault) async throws {
        let row = "radio fault | \(fault.number) | \(fault) | \(WorldKind.name)"
        if let reason = fault.virtualOnlyBecause, WorldKind.current == .real {
            print("\(row) | not shown: \(reason)")
            return
        }
        let outcome = Locked<FaultScene.Outcome?>(nil)
        try await perform(timing: fault.timing, adapters: 2) { world in
            let scene = try await RadioFaultScene(fault, in: world)
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
