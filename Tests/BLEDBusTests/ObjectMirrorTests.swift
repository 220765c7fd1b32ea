import Testing

@testable import BLEDBus

@Suite("An object mirror")
struct ObjectMirrorTests {
    private let device: ObjectPath = "/org/bluez/hci0/dev_1"
    private let manager = "org.freedesktop.DBus.ObjectManager"

    private func interfaces(_ names: [String: [String: Value]]) -> Value {
        .dictionary(
            key: "s",
            value: "a{sv}",
            names.sorted { $0.key < $1.key }.map { .init(.string($0.key), .properties($0.value)) }
        )
    }

    private func loaded() throws -> ObjectMirror {
        var mirror = ObjectMirror { $0.hasPrefix("org.bluez.") }
        let call = try Message.methodCall(to: "a.b", at: "/", manager, "GetManagedObjects")
        let tree = Value.dictionary(
            key: "o",
            value: "a{sa{sv}}",
            [
                .init(
                    .objectPath(device),
                    interfaces([
                        "org.bluez.Device1": ["RSSI": .int16(-50), "Name": .string("8-Ball")],
                        "org.freedesktop.DBus.Properties": [:],
                    ])
                )
            ]
        )
        try mirror.load(try call.reply([tree]))
        return mirror
    }

    @Test func `knows what the manager replied`() throws {
        let mirror = try loaded()
        let properties = try #require(mirror[device, "org.bluez.Device1"])
        #expect(properties["RSSI"]?.integer == -50)
        #expect(properties["Name"]?.string == "8-Ball")
        #expect(properties["Absent"] == nil)
        #expect(mirror[device, "org.freedesktop.DBus.Properties"] == nil)
        #expect(mirror.objects(with: "org.bluez.Device1").map(\.path) == [device])
    }

    @Test func `takes over changed and invalidated properties`() throws {
        var mirror = try loaded()
        let changes = try mirror.apply(
            try .signal(
                from: device,
                "org.freedesktop.DBus.Properties",
                "PropertiesChanged",
                [
                    .string("org.bluez.Device1"), .properties(["Name": .string("x")]),
                    .strings(["RSSI"]),
                ]
            )
        )
        guard case .changed(device, "org.bluez.Device1", let changed, ["RSSI"]) = changes.first
        else {
            Issue.record("\(changes)")
            return
        }
        #expect(changed.values == ["Name": .string("x")])
        #expect(mirror[device, "org.bluez.Device1"]?.values == ["Name": .string("x")])
    }

    @Test func `takes over what comes and goes`() throws {
        var mirror = try loaded()
        let service = try device.appending("service0001")
        let added = try mirror.apply(
            try .signal(
                from: "/",
                manager,
                "InterfacesAdded",
                [
                    .objectPath(service),
                    interfaces(["org.bluez.GattService1": ["Primary": .bool(true)]]),
                ]
            )
        )
        #expect(added.count == 1)
        #expect(mirror[service, "org.bluez.GattService1"]?["Primary"]?.bool == true)
        let removed = try mirror.apply(
            try .signal(
                from: "/",
                manager,
                "InterfacesRemoved",
                [.objectPath(device), .strings(["org.bluez.Device1", "org.bluez.Unknown"])]
            )
        )
        #expect(removed.count == 1)
        #expect(mirror[device, "org.bluez.Device1"] == nil)
        #expect(mirror.removeAll().count == 1)
        #expect(mirror.objects(with: "org.bluez.GattService1").isEmpty)
    }

    @Test func `forgets a property within a path alone`() throws {
        var mirror = try loaded()
        let properties = mirror[device, "org.bluez.Device1"]?.values ?? [:]
        let (name, value) = try #require(properties.first)
        mirror.forget(name, of: "org.bluez.Device1", within: "/elsewhere")
        mirror.forget(name, of: "org.bluez.Adapter1", within: "/")
        #expect(mirror[device, "org.bluez.Device1"]?[name] == value)
        mirror.forget(name, of: "org.bluez.Device1", within: "/")
        #expect(mirror[device, "org.bluez.Device1"]?[name] == nil)
        #expect(mirror[device, "org.bluez.Device1"]?.values.count == properties.count - 1)
    }

    @Test func `ignores what it does not know, and refuses what is malformed`() throws {
        var mirror = try loaded()
        let unknown = try Message.signal(
            from: "/nowhere",
            "org.freedesktop.DBus.Properties",
            "PropertiesChanged",
            [.string("org.bluez.Device1"), .properties([:]), .strings([])]
        )
        #expect(try mirror.apply(unknown).isEmpty)
        let malformed = try Message.signal(
            from: device,
            "org.freedesktop.DBus.Properties",
            "PropertiesChanged",
            [.string("org.bluez.Device1"), .strings([])]
        )
        #expect(throws: BusError.self) { try mirror.apply(malformed) }
    }
}
