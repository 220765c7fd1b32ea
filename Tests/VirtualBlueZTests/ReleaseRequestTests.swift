import BLEDBus
import Testing
import VirtualBlueZ

/// How the releases send requests and commands, against captures of the originals.
@Suite("Requests of releases", .timeLimit(.minutes(10)))
struct ReleaseRequestTests {
    private static let body: [Value] = [.text("First?"), .noOptions]

    /// A client whose write is with the application, and that asks for more meanwhile.
    private func asking(_ version: BlueZVersion) async throws -> (World, Client) {
        let world = try await World(version: version)
        let client = try await world.ballConnected()
        let release = world.release
        await client.respond(to: "WriteValue", with: .hold)
        await client.begin("WriteValue", on: release.question, .characteristic, Self.body)
        try await client.upTo("call WriteValue First?")
        await client.begin("ReadValue", on: release.answer, .characteristic, [.noOptions])
        await client.begin("StartNotify", on: release.answer, .characteristic)
        return (world, client)
    }

    @Test func `several channels let requests go in parallel`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        await client.respond(to: "WriteValue", with: .hold)
        await client.begin("WriteValue", on: .question, .characteristic, Self.body)
        _ = try await client.call("ReadValue", on: .answer, .characteristic, [.noOptions])
        _ = try await client.call("StartNotify", on: .answer, .characteristic)
        let trace = try await client.upToNow()
        #expect(trace.contains("call WriteValue First?"))
        #expect(!trace.contains("return WriteValue"))
        await client.release()
        try await client.upTo("return WriteValue")
    }

    @Test(arguments: [BlueZVersion.v5_82, .v5_87])
    func `one channel lets them wait for each other`(version: BlueZVersion) async throws {
        let (world, client) = try await asking(version)
        #expect(try await client.upToNow() == [])
        // What waits counts as under way: a second read shares its reply, but not from elsewhere.
        let path = world.release.answer
        let offset: [Value] = [.properties(["offset": .uint16(4)])]
        await #expect(throws: refusal("InProgress", "In Progress")) {
            _ = try await client.call("ReadValue", on: path, .characteristic, offset)
        }
        await client.begin("ReadValue", on: path, .characteristic, [.noOptions])
        #expect(try await client.upToNow() == [])
        await client.release()
        let answer = TraceText.path(world.release.answer) + " GattCharacteristic1"
        #expect(
            try await client.upTo("return StartNotify") == [
                "return WriteValue", "call ReadValue", "\(answer) Value=Ask again later.",
                "return ReadValue", "return ReadValue", "call StartNotify",
                "\(answer) Notifying=true",
                "return StartNotify",
            ]
        )
    }

    @Test func `what waits fails with the link`() async throws {
        let (world, client) = try await asking(.v5_82)
        try await client.upToNow()
        await world.daemon.simulateDisconnection(between: 0, and: 1)
        let failed = "Failed Operation failed with ATT error: 0x0e"
        let trace = try await client.upTo("error StartNotify \(failed)")
        #expect(
            trace.suffix(3) == [
                "error WriteValue \(failed)", "error ReadValue \(failed)",
                "error StartNotify \(failed)",
            ]
        )
    }

    @Test func `what waits fails with its application`() async throws {
        let (_, client) = try await asking(.v5_82)
        try await client.upToNow()
        let body: [Value] = [.objectPath("/ball")]
        await client.begin("UnregisterApplication", on: .hci1, .gattManager, body)
        let unsupported = "NotSupported Operation is not supported"
        let trace = try await client.upTo("error StartNotify \(unsupported)")
        #expect(trace.contains("error WriteValue \(unsupported)"))
        #expect(trace.contains("error ReadValue \(unsupported)"))
        #expect(!trace.contains("call ReadValue"))
    }

    @Test(
        arguments: [
            (.v5_66, ["1", "3", "2", "4", "6", "5", "7"]),
            (.v5_82, ["1", "2", "3", "4", "5", "6", "7"]),
            (.v5_87, ["1", "2", "3", "4", "5", "6", "7"]),
        ] as [(BlueZVersion, [String])]
    )
    func `commands sent at once`(version: BlueZVersion, order: [String]) async throws {
        let world = try await World(version: version, overtaking: .milliseconds(2))
        let client = try await world.ballConnected(.one("write-without-response"))
        for number in 1...7 {
            let body: [Value] = [.text("\(number)"), .noOptions]
            await client.begin("WriteValue", on: world.release.question, .characteristic, body)
        }
        let trace = try await client.upTo("call WriteValue 7")
        #expect(trace.filter { $0.hasPrefix("call") } == order.map { "call WriteValue \($0)" })
    }

    @Test func `a command that nothing overtakes arrives after a while`() async throws {
        let world = try await World(overtaking: .milliseconds(2))
        let client = try await world.ballConnected(.one("write-without-response"))
        for number in 1...2 {
            let body: [Value] = [.text("\(number)"), .noOptions]
            await client.begin("WriteValue", on: world.release.question, .characteristic, body)
        }
        #expect(try await client.upToNow() == ["return WriteValue", "call WriteValue 1"])
        world.clock.advance(by: .milliseconds(2))
        #expect(
            try await client.upTo("call WriteValue 2") == [
                "return WriteValue", "call WriteValue 2",
            ]
        )
    }

    @Test(
        arguments: [(.v5_66, "0x0e"), (.v5_82, "0xfd"), (.v5_87, "0xfd")]
            as [(BlueZVersion, String)]
    )
    func `ImproperlyConfigured`(version: BlueZVersion, code: String) async throws {
        let world = try await World(version: version)
        let client = try await world.ballConnected()
        await client.respond(to: "WriteValue", with: .error(refusal("ImproperlyConfigured", "")))
        let error = refusal("Failed", "Operation failed with ATT error: \(code)")
        await #expect(throws: error) {
            let path = world.release.question
            _ = try await client.call("WriteValue", on: path, .characteristic, Self.body)
        }
    }
}
