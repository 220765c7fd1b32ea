import BLEDBus
import Testing
import VirtualBlueZ

/// The texts that are taken for a UUID, against traces of the originals.
@Suite("Texts of UUIDs", .timeLimit(.minutes(10)))
struct UUIDTextTests {
    private static let battery = "0000180f-0000-1000-8000-00805f9b34fb"
    private static let taken = [
        ("180f", battery), ("0x180f", battery), ("0X180F", battery), ("0000180f", battery),
        ("0x0000180f", battery), ("00180f", battery),
        ("0x18", "00000018-0000-1000-8000-00805f9b34fb"),
        ("12345678", "12345678-0000-1000-8000-00805f9b34fb"),
    ]
    private static let refused = [
        "18", "0x180g", "0000180f00001000800000805f9b34fb",
        "{0000180f-0000-1000-8000-00805f9b34fb}",
    ]

    private func serve(_ text: String, _ client: Client) async throws {
        let service: [String: Value] = ["UUID": .string(text), "Primary": .bool(true)]
        let interfaces = Value.dictionary(
            key: "s",
            value: "a{sv}",
            [.init(.string("org.bluez.GattService1"), .properties(service))]
        )
        let object = Value.Entry(.objectPath("/ball/service"), interfaces)
        let objects = Value.dictionary(key: "o", value: "a{sa{sv}}", [object])
        try await client.serve(objects: objects, at: "/ball")
        try await client.register()
    }

    private func filter(_ text: String, _ client: Client) async throws {
        let body: [Value] = [.properties(["UUIDs": .strings([text])])]
        _ = try await client.call("SetDiscoveryFilter", on: .hci0, .adapter, body)
    }

    @Test(arguments: taken)
    func `short ones are taken`(text: String, uuid: String) async throws {
        let client = try await World().client()
        try await serve(text, client)
        let uuids = try await client.property("UUIDs", of: .adapter, at: .hci1)
        #expect(uuids?.strings?.contains(uuid) == true)
        try await filter(text, client)
        try await client.advertise(["ServiceUUIDs": .strings([text])])
        try await client.find()
        #expect(
            try await client.property("UUIDs", of: .device, at: .ball) == .strings([uuid])
        )
    }

    /// Generic Access and Generic Attribute; source: BlueZ, src/gatt-database.c, `parse_uuid`.
    @Test(arguments: ["1800", "0x1801", "00001801-0000-1000-8000-00805F9B34FB"])
    func `those of services that every daemon has are refused`(text: String) async throws {
        let client = try await World().client()
        await #expect(throws: refusal("Failed", "Failed to create entry in database")) {
            try await serve(text, client)
        }
    }

    @Test(arguments: refused)
    func `others are refused`(text: String) async throws {
        let client = try await World().client()
        await #expect(throws: refusal("Failed", "Failed to create entry in database")) {
            try await serve(text, client)
        }
        await #expect(
            throws: refusal("InvalidArguments", "Invalid arguments in method call")
        ) {
            try await filter(text, client)
        }
        await #expect(throws: refusal("Failed", "Failed to parse advertisement.")) {
            try await client.advertise(["ServiceUUIDs": .strings([text])])
        }
    }

    @Test func `one of 32 bits takes four bytes of an advertisement`() async throws {
        let client = try await World().client()
        // Of 31 bytes the long one takes 18, a field of data 4 and what is in it.
        func advertise(_ short: String, dataBytes: Int) async throws {
            let data = Value.Entry(
                .uint16(0xffff),
                .variant(.bytes([UInt8](repeating: 1, count: dataBytes)))
            )
            try await client.advertise([
                "ServiceUUIDs": .strings([UUIDs.service, short]),
                "ManufacturerData": .dictionary(key: "q", value: "v", [data]),
            ])
        }
        await #expect(throws: refusal("Failed", "Failed to register advertisement")) {
            try await advertise("0000180f", dataBytes: 4)
        }
        try await advertise("180f", dataBytes: 4)
    }
}
