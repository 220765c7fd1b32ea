import BLEDBus
import Testing
import VirtualBlueZ

@Suite("Registration", .timeLimit(.minutes(10)))
struct RegistrationTests {
    @Test func `of an application happens once`() async throws {
        let world = try await World()
        let client = try await world.client()
        try await client.serve(.ball)
        try await client.register()
        await #expect(throws: refusal("AlreadyExists", "Already Exists")) {
            try await client.register()
        }
        let other = try await world.client()
        let body: [Value] = [.objectPath("/ball")]
        let unknown = refusal("DoesNotExist", "Does Not Exist")
        await #expect(throws: unknown) {
            _ = try await other.call("UnregisterApplication", on: .hci1, .gattManager, body)
        }
        _ = try await client.call("UnregisterApplication", on: .hci1, .gattManager, body)
        await #expect(throws: unknown) {
            _ = try await client.call("UnregisterApplication", on: .hci1, .gattManager, body)
        }
    }

    @Test func `needs objects`() async throws {
        let world = try await World()
        let client = try await world.client()
        let nothing = refusal("Failed", "No object received")
        await #expect(throws: nothing) { try await client.register("/not/there") }
        let none = Value.dictionary(key: "o", value: "a{sa{sv}}", [])
        try await client.serve(objects: none, at: "/empty")
        await #expect(throws: nothing) { try await client.register("/empty") }
    }

    /// Source: BlueZ, src/gatt-database.c, `parse_primary`, `parse_handle`.
    @Test(
        arguments: [
            [:], ["Primary": .string("true")], ["Primary": .bool(true), "Handle": .uint32(0)],
        ] as [[String: Value]]
    )
    func `of a service needs its properties, of their types`(
        properties: [String: Value]
    ) async throws {
        let client = try await World().client()
        let uuid = ["UUID": Value.string(UUIDs.service)]
        let service = properties.merging(uuid) { $1 }
        try await client.serve(objects: Self.object("GattService1", service), at: "/ball")
        await #expect(throws: refusal("Failed", "Failed to create entry in database")) {
            try await client.register()
        }
    }

    /// One object with an interface.
    private static func object(_ interface: String, _ properties: [String: Value]) -> Value {
        let entry = Value.Entry(.string("org.bluez." + interface), .properties(properties))
        let interfaces = Value.dictionary(key: "s", value: "a{sv}", [entry])
        let object = Value.Entry(.objectPath("/ball/object"), interfaces)
        return .dictionary(key: "o", value: "a{sa{sv}}", [object])
    }

    /// Source: BlueZ, src/gatt-database.c, `create_profile`.
    @Test func `of profiles needs no service, but their UUIDs`() async throws {
        let client = try await World().client()
        let profile = Self.object("GattProfile1", ["UUIDs": .strings(["180f"])])
        try await client.serve(objects: profile, at: "/ball")
        try await client.register()
        try await client.unregister()
        let nothing = Self.object("GattProfile1", ["UUIDs": .strings([])])
        try await client.serve(objects: nothing, at: "/ball")
        await #expect(throws: refusal("Failed", "No valid service object found")) {
            try await client.register()
        }
    }

    @Test func `of a characteristic needs flags that are known`() async throws {
        let world = try await World()
        let client = try await world.client()
        try await client.serve(.one("nonsense"))
        await #expect(throws: refusal("Failed", "No valid service object found")) {
            try await client.register()
        }
    }

    /// Source: BlueZ, src/gatt-database.c, `parse_desc_flags`.
    @Test(arguments: ["notify", "write-without-response", "nonsense"])
    func `of a descriptor needs flags that descriptors have`(flag: String) async throws {
        let client = try await World().client()
        try await client.serve([
            AppCharacteristic(
                name: "only",
                uuid: UUIDs.question,
                flags: ["read"],
                descriptorFlags: ["read", flag]
            )
        ])
        await #expect(throws: refusal("Failed", "No valid service object found")) {
            try await client.register()
        }
    }

    @Test(
        arguments: [
            (["ServiceUUIDs": .strings(["nonsense"])], "Failed to parse advertisement."),
            (["Type": .string("nonsense")], "Failed to parse advertisement."),
            (["LocalName": .bool(true)], "Failed to parse advertisement."),
            (
                ["Type": .string("broadcast"), "Discoverable": .bool(true)],
                "Failed to parse advertisement."
            ),
            (
                ["LocalName": .string("Ball"), "Includes": .strings(["local-name"])],
                "Failed to parse advertisement."
            ),
            (
                ["ServiceData": .properties(["180f": .bytes([UInt8](repeating: 0, count: 28))])],
                "Failed to parse advertisement."
            ),
            (
                ["ServiceUUIDs": .strings([UUIDs.service, UUIDs.question])],
                "Failed to register advertisement"
            ),
        ] as [([String: Value], String)]
    )
    func `refuses an advertisement`(properties: [String: Value], text: String) async throws {
        let world = try await World()
        let client = try await world.client()
        await #expect(throws: refusal("Failed", text)) {
            try await client.advertise(properties)
        }
    }

    @Test func `of advertisements has room for five`() async throws {
        let world = try await World()
        let client = try await world.client()
        for number in 1...5 {
            try await client.advertise([:], at: ObjectPath("/advertisement\(number)"))
        }
        await #expect(throws: refusal("AlreadyExists", "Already Exists")) {
            try await client.advertise([:], at: "/advertisement1")
        }
        await #expect(throws: refusal("NotPermitted", "Maximum advertisements reached")) {
            try await client.advertise([:], at: "/advertisement6")
        }
        let other = try await world.client()
        let body: [Value] = [.objectPath("/advertisement1")]
        await #expect(throws: refusal("DoesNotExist", "Does Not Exist")) {
            let member = "UnregisterAdvertisement"
            _ = try await other.call(member, on: .hci1, .advertisingManager, body)
        }
    }

    @Test func `of an advertisement needs power`() async throws {
        let world = try await World()
        let client = try await world.client()
        await world.daemon.simulatePowerOff(of: 1)
        await #expect(throws: refusal("Failed", "Failed to register advertisement")) {
            try await client.advertise([:])
        }
    }

    @Test(arguments: [29, 30, 40])
    func `cuts a name to 29 bytes`(count: Int) async throws {
        let world = try await World()
        let client = try await world.client()
        try await client.advertise(["LocalName": .string(String(repeating: "n", count: count))])
        try await client.find()
        let name = try await client.property("Name", of: .device, at: .ball)
        #expect(name == .string(String(repeating: "n", count: 29)))
    }

    /// Source: BlueZ, src/eir.c, `name2utf8`, and what became of it in 2025.
    @Test(arguments: [
        (BlueZVersion.v5_66, ""), (.v5_82, ""), (.v5_87, "é"),
    ])
    func `cuts a name within a character`(version: BlueZVersion, kept: String) async throws {
        let world = try await World(version: version)
        let client = try await world.client()
        let letters = String(repeating: "n", count: 26)
        try await client.advertise(["LocalName": .string("é\(letters)é")])
        try await client.find()
        let name = try await client.property("Name", of: .device, at: .ball)
        #expect(name == .string(kept + letters))
    }

    @Test func `again gives other handles, while the link stays`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        let body: [Value] = [.objectPath("/ball")]
        _ = try await client.call("UnregisterApplication", on: .hci1, .gattManager, body)
        try await client.register()
        try await client.upToNow()
        let trace = await client.wholeTrace(
            from: "+ \(TraceText.path(.ball))/service001b GattService1"
        )
        #expect(
            trace.dropFirst() == [
                "+ \(TraceText.path(.ball))/service001b/char001c GattCharacteristic1",
                "+ \(TraceText.path(.ball))/service001b/char001e GattCharacteristic1",
                "+ \(TraceText.path(.ball))/service001b/char001e/desc0020 GattDescriptor1",
            ]
        )
        #expect(
            try await client.property("ServicesResolved", of: .device, at: .ball) == .bool(true)
        )
    }

    @Test func `of agents is granted, and nobody is asked`() async throws {
        let world = try await World()
        let client = try await world.client()
        let agent: [Value] = [.objectPath("/agent")]
        let capability: [Value] = [.string("NoInputNoOutput")]
        let root: ObjectPath = "/org/bluez"
        _ = try await client.call("RegisterAgent", on: root, .agentManager, agent + capability)
        _ = try await client.call("RequestDefaultAgent", on: root, .agentManager, agent)
        await #expect(throws: refusal("AlreadyExists", "Already Exists")) {
            _ = try await client.call("RegisterAgent", on: root, .agentManager, agent + capability)
        }
        _ = try await client.call("UnregisterAgent", on: root, .agentManager, agent)
        await #expect(throws: refusal("DoesNotExist", "Does Not Exist")) {
            _ = try await client.call("UnregisterAgent", on: root, .agentManager, agent)
        }
    }
}
