import BLEDBus
import Testing

@testable import VirtualBlueZ

/// What needs neither bus nor daemon.
@Suite("Attributes")
struct AttributeTests {
    @Test(
        arguments: [
            (["read", "notify"], ["read", "notify"]), (["notify", "read"], ["read", "notify"]),
            (["encrypt-read"], ["read"]), (["secure-write", "write"], ["write"]),
            (
                ["write", "write-without-response", "reliable-write"],
                ["write-without-response", "write", "extended-properties", "reliable-write"]
            ),
        ]
    )
    func `flags are told in BlueZ's order`(flags: [String], discovered: [String]) throws {
        #expect(try #require(CharacteristicFlags(flags)).discovered == discovered)
    }

    @Test func `flags that BlueZ doesn't know are none`() {
        #expect(CharacteristicFlags(["read", "nonsense"]) == nil)
    }

    @Test(
        arguments: [
            ("180A", "0000180a-0000-1000-8000-00805f9b34fb"),
            ("8E38140A-27BE-4090-8955-4FC4B5698D1E", "8e38140a-27be-4090-8955-4fc4b5698d1e"),
            ("nonsense", nil), ("180", nil), ("", nil),
            ("8E38140A27BE-4090-8955-4FC4B5698D1E-", nil),
        ]
    )
    func `UUIDs are told in lower case and long`(text: String, normalized: String?) {
        #expect(BluetoothUUIDText.normalized(text) == normalized)
    }

    @Test(
        arguments: [
            (nil, ["write"], .request), (nil, ["write-without-response"], .command),
            (nil, ["write", "write-without-response"], .request), (nil, ["read"], nil),
            ("request", ["read"], .request), ("command", ["write"], .command),
            ("reliable", ["write"], .requestInPieces), ("nonsense", ["write"], nil),
        ] as [(String?, [String], WriteProcedure?)]
    )
    func `a write is sent by its type, else by the flags`(
        type: String?,
        flags: [String],
        procedure: WriteProcedure?
    ) throws {
        let flags = try #require(CharacteristicFlags(flags))
        #expect(WriteProcedure(type: type, flags) == procedure)
    }

    @Test func `handles are given once`() throws {
        let id = RegisteredApplication.ID(owner: ":1.1", root: "/ball")
        let properties: [String: Value] = ["UUID": .string("180f"), "Primary": .bool(true)]
        let service = Value.dictionary(
            key: "s",
            value: "a{sv}",
            [Value.Entry("org.bluez.GattService1", properties)]
        )
        let objects = Value.dictionary(
            key: "o",
            value: "a{sa{sv}}",
            [Value.Entry(.objectPath("/ball/service"), service)]
        )
        let application = try RegisteredApplication(id, objects: objects)
        var table = AttributeTable(.v5_66)
        try table.add(application)
        #expect(table.services.last?.handle == 0x15)
        let hash = table.discovered(withGenericAccess: false).first
        table.remove(id)
        #expect(table.discovered(withGenericAccess: false).first != hash)
        try table.add(application)
        #expect(table.services.last?.handle == 0x16)
    }
}

extension Value.Entry {
    /// An interface with its properties.
    fileprivate init(_ interface: String, _ properties: [String: Value]) {
        self.init(.string(interface), .properties(properties))
    }
}
