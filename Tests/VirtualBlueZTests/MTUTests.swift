import BLEDBus
import Testing
import VirtualBlueZ

/// An MTU that is exchanged while there is a link.
@Suite("An MTU", .timeLimit(.minutes(10)))
struct MTUTests {
    private static func line(_ path: ObjectPath, _ mtu: Int) -> String {
        "\(TraceText.path(path)) GattCharacteristic1 MTU=\(mtu)"
    }

    /// What is told when the two exchange an MTU.
    private func trace(exchanging mtu: Int, _ client: Client) async throws -> [String] {
        try await client.upToNow()
        await client.world.daemon.simulateMTUExchange(of: mtu, between: 0, and: 1)
        return try await client.upToNow()
    }

    @Test(arguments: BlueZVersion.all)
    func `grows at both ends, and is signalled`(version: BlueZVersion) async throws {
        let world = try await World(version: version, mtu: 23)
        let client = try await world.ballConnected()
        let trace = try await trace(exchanging: 185, client)
        #expect(trace.allSatisfy { $0.hasSuffix(" GattCharacteristic1 MTU=185") })
        for path in [world.release.question, world.release.answer] {
            #expect(trace.contains(Self.line(path, 185)))
            #expect(
                try await client.property("MTU", of: .characteristic, at: path) == .uint16(185)
            )
        }
        // The asker's own characteristics, as the ball's side has them.
        #expect(trace.contains { $0.hasPrefix("hci1/") })
        #expect(try await self.trace(exchanging: 185, client) == [])
        #expect(try await self.trace(exchanging: 100, client) == [])
    }

    @Test func `lets longer values travel`() async throws {
        let world = try await World(mtu: 23)
        let client = try await world.ballConnected([
            AppCharacteristic(name: "in", uuid: UUIDs.question, flags: ["write-without-response"]),
            AppCharacteristic(name: "out", uuid: UUIDs.answer, flags: ["notify"]),
        ])
        let (question, answer) = (world.release.question, world.release.answer)
        let text = String(repeating: "a", count: 182)
        let body: [Value] = [.text(text), .noOptions]
        await #expect(throws: refusal("Failed", "Failed to initiate write")) {
            _ = try await client.call("WriteValue", on: question, .characteristic, body)
        }
        await world.daemon.simulateMTUExchange(of: 185, between: 1, and: 0)
        await client.begin("WriteValue", on: question, .characteristic, body)
        try await client.upTo("call WriteValue \(text)")
        _ = try await client.call("StartNotify", on: answer, .characteristic)
        try await client.notify(text, from: "/ball/service/out")
        let told = "\(TraceText.path(answer)) GattCharacteristic1 Value="
        try await client.upTo(told + String(repeating: "a", count: 180))
        let acquired = try await client.call(
            "AcquireWrite",
            on: question,
            .characteristic,
            [.noOptions]
        )
        #expect(acquired.last == .uint16(185))
    }

    @Test func `is that of the link, and told for what was found over it alone`() async throws {
        let world = try await World(mtu: 23)
        let client = try await world.ballConnected()
        #expect(try await trace(exchanging: 100, client).isEmpty == false)
        await world.daemon.simulateDisconnection(between: 0, and: 1)
        await client.begin("Connect", on: .ball, .device)
        try await client.upTo("return Connect")
        #expect(
            try await client.property("MTU", of: .characteristic, at: .answer) == .uint16(23)
        )
        #expect(try await trace(exchanging: 185, client) == [])
        #expect(
            try await client.property("MTU", of: .characteristic, at: .answer) == .uint16(185)
        )
    }

    @Test func `grows by a lever`() async throws {
        let world = try await World(mtu: 23)
        let levers = try await VirtualWorld.open(for: world.daemon)
        let client = try await world.ballConnected()
        for (mtu, refusal) in [
            (22, "InvalidArguments there is no MTU of 22, only 23 to 517 bytes"),
            (23, "Failed the MTU is 23, and only grows"),
        ] {
            let body: [Value] = [.uint32(0), .uint32(1), .uint32(UInt32(mtu))]
            await client.begin("ExchangeMTU", on: .world, .world, body)
            try await client.upTo("error ExchangeMTU \(refusal)")
        }
        let body: [Value] = [.uint32(0), .uint32(1), .uint32(185)]
        await client.begin("ExchangeMTU", on: .world, .world, body)
        #expect(
            try await client.upTo("return ExchangeMTU").contains(Self.line(.answer, 185))
        )
        await levers.close()
    }
}
