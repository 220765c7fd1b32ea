import Testing

/// `relay-sim`, as somebody at a shell runs it.
@Suite("relay-sim", .timeLimit(.oneCheck))
struct RelaySimTests {
    @Test func `says how a run is repeated`() async throws {
        let words = ["--nodes", "8", "--seconds", "120", "--seed", "7", "--no-queue"]
        let first = try await Tool("relay-sim", words, bus: nil).end()
        #expect(first.status == 0, "\(first)")
        let command = try #require(first.lines.first, "\(first)").split(separator: " ")
        #expect(command.first == "relay-sim" && command.contains("7"), "\(first)")
        let again = try await Tool(
            "relay-sim",
            command.dropFirst().map(String.init),
            bus: nil
        ).end()
        // The last line says how fast it was.
        #expect(Array(again.lines.dropLast()) == Array(first.lines.dropLast()), "\(again)")
    }

    @Test(arguments: ["0", "1e-309", "0.0009", "1001", "nan"])
    func `refuses what is no density`(density: String) async throws {
        let outcome = try await Tool("relay-sim", ["--density", density], bus: nil).end()
        #expect(outcome.status == 64, "\(outcome)")
    }

    @Test(arguments: ["-1", "9223372036854775808", "18446744073709551616"])
    func `refuses what is no seed`(seed: String) async throws {
        let outcome = try await Tool("relay-sim", ["--seed=\(seed)"], bus: nil).end()
        #expect(outcome.status == 64, "\(outcome)")
    }
}
