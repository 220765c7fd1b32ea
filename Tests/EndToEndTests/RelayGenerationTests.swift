import BLEDBus
import Testing

/// Which apps what `dim-relay` makes is for.
@Suite("dim-relay --generation", .timeLimit(.oneCheck))
struct RelayGenerationTests {
    @Test(arguments: [("v1", 6), ("first", 6), ("v2", 4), ("both", 4)])
    func `makes addresses of it`(generation: String, digitCount: Int) async throws {
        try await check(generation, virtualOnlyBecause: "it needs no radio") { world in
            let alice = RelayUser(name: "alice", adapter: "hci0", bus: world.bus.rawValue)
            let outcome = try await alice.run("link", "--name", "alice", "--generation", generation)
            let address = try #require(outcome.events.first?["address"] as? String, "\(outcome)")
            #expect(address.split(separator: "#").last?.count == digitCount, "\(outcome)")
            // What is there stays.
            let again = try await alice.run("link", "--generation", "v1")
            #expect(again.events.first?["address"] as? String == address, "\(again)")
            #expect(try await alice.run("link", "--generation", "v3").status == 64)
        }
    }

    /// What both generations can read is nine bytes longer, so that less of a text fits.
    @Test func `makes packets of it`() async throws {
        try await check(virtualOnlyBecause: "packets are as long everywhere") { world in
            let alice = try await RelayUser.contacts(["alice", "bobby"], in: world)[0]
            let text = String(repeating: "x", count: 40)
            let both = try await alice.send(text, to: "bobby", "--wait", "0")
            #expect(both.status == 65, "\(both)")
            #expect(both.events.last?["code"] as? String == "tooLong")
            for generation in ["v1", "v2"] {
                let one = try await alice.send(
                    text,
                    to: "bobby",
                    "--wait",
                    "0",
                    "--generation",
                    generation
                )
                #expect(one.status == 0, "\(one)")
                let id = try #require(one.events.first?["id"] as? Int, "\(one)")
                let refused = try await alice.sending("resend", "bobby", "\(id)", "--wait", "0")
                #expect(refused.status == 65, "\(refused)")
            }
        }
    }
}
