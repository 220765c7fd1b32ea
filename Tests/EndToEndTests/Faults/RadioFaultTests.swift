import Testing

/// What a program has begun ends with a typed error, and nothing of it is left; its row is printed.
@Suite("A fault of the radio", .timeLimit(.oneCheck))
struct RadioFaultTests {
    @Test(
        .enabled(if: FaultTests.isWanted, "Scripts/faults runs it"),
        arguments: RadioFault.wanted
    )
    func `ends what was begun, and is over when it is over`(fault: RadioFault) async throws {
        try await FaultTests.play(
            "radio fault | \(fault.number) | \(fault)",
            virtualOnlyBecause: fault.virtualOnlyBecause,
            timing: fault.timing,
            adapters: 2
        ) {
            try await RadioFaultScene(fault, in: $0)
        }
    }
}
