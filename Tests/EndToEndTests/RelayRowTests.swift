import BLEDBus
import Testing
import VirtualBlueZ

/// `dim-relay` on three machines, the outer two of which do not hear each other.
@Suite("dim-relay, three in a row", .timeLimit(.oneCheck))
struct RelayRowTests {
    @Test(arguments: [BlueZVersion.v5_66, .v5_82, .v5_87])
    func `carries messages and receipts past who is between, also who was away`(
        version: BlueZVersion
    ) async throws {
        try await check(
            "\(version)",
            adapters: 3,
            version: version,
            virtualOnlyBecause: "in the emulated air everybody is in reach"
        ) { world in
            let virtual = try #require(world as? VirtualWorld)
            let far: [Value] = [.uint32(0), .uint32(2), .string("outOfRange")]
            try await virtual.pull("SetProximity", far)
            let users = try await RelayUser.contacts(["alice", "bobby", "carol"], in: world)
            let (alice, bob, carol) = (users[0], users[1], users[2])
            let ends = (try await alice.start(), try await carol.start("--read-receipts"))
            var between = try await bob.start()

            let sent = try await alice.send("to Carol", to: "carol", "--wait", "60")
            #expect(sent.status == 0, "\(sent)")
            #expect(sent.eventNames == ["sent", "delivered"])
            let received = Tool.event(try await ends.1.line(with: "\"to Carol\""))
            #expect(received?["event"] as? String == "received")
            let relayed = Tool.event(try await between.line(with: "\"relayed\""))
            #expect(relayed?["id"] as? Int == sent.events.first?["id"] as? Int)
            #expect(try await carol.run("messages", "alice").status == 0)
            try await ends.0.line(with: "\"read\"")
            let outcome = await between.interrupt()
            // The message, its acknowledgement, and that it was read.
            #expect(outcome.events.last?["relayed"] as? Int == 3, "\(outcome)")

            let queued = try await alice.send("while nobody is between", to: "carol", "--wait", "1")
            #expect(queued.status == 75, "\(queued)")
            let id = try #require(queued.events.first?["id"] as? Int, "\(queued)")
            between = try await bob.start()
            try await ends.1.line(with: "while nobody is between")
            let delivered = try await ends.0.line(with: "\"id\":\(id)")
            #expect(delivered.contains("\"delivered\""))
            for node in [between, ends.0, ends.1] { await node.interrupt() }
        }
    }
}
