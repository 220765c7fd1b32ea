import BLEDBus
import Testing
import VirtualBlueZ

/// What the releases show in their trees, against captures of the originals.
@Suite("Trees of releases", .timeLimit(.minutes(10)))
struct ReleaseTreeTests {
    /// The interfaces of objects, with their properties that have a value.
    private func objects(
        _ client: Client
    ) async throws -> [String: [String: [String: Value]]] {
        let reply = try await client.call("GetManagedObjects", on: .root, .objectManager)
        var objects: [String: [String: [String: Value]]] = [:]
        for object in reply.first?.entries ?? [] {
            for interface in object.value.entries ?? [] {
                guard let name = interface.key.string, name.hasPrefix("org.bluez.") else {
                    continue
                }
                let path = TraceText.path(object.key.objectPath)
                let short = String(name.dropFirst("org.bluez.".count))
                objects[path, default: [:]][short] = interface.value.properties
            }
        }
        return objects
    }

    @Test(
        arguments: [
            (.v5_66, ["AgentManager1", "HealthManager1", "ProfileManager1"], []),
            (
                .v5_82, ["AgentManager1", "HealthManager1", "ProfileManager1"],
                ["Connectable", "Manufacturer", "PowerState", "Version"]
            ),
            (
                .v5_87, ["AgentManager1", "ProfileManager1"],
                ["Connectable", "Manufacturer", "PowerState", "Version"]
            ),
        ] as [(BlueZVersion, [String], [String])]
    )
    func `the adapter and above`(
        version: BlueZVersion,
        managers: [String],
        more: [String]
    ) async throws {
        let world = try await World(version: version)
        let objects = try await objects(world.client())
        #expect(objects["/org/bluez"]?.keys.sorted() == managers)
        let adapter = try #require(objects["hci0"])
        let batteries = more.isEmpty ? [] : ["BatteryProviderManager1"]
        #expect(
            adapter.keys.sorted()
                == ["Adapter1"] + batteries + ["GattManager1", "LEAdvertisingManager1", "Media1"]
        )
        let always = [
            "Address", "AddressType", "Alias", "Class", "Discoverable", "DiscoverableTimeout",
            "Discovering", "Modalias", "Name", "Pairable", "PairableTimeout", "Powered", "Roles",
            "UUIDs",
        ]
        #expect(adapter["Adapter1"]?.keys.sorted() == (always + more).sorted())
        #expect(adapter["Adapter1"]?["Name"] == .string("BlueZ \(version)"))
        #expect(adapter["Adapter1"]?["Modalias"] == .string(world.release.modalias))
        let advertising = ["ActiveInstances", "SupportedIncludes", "SupportedInstances"]
        let capabilities = more.isEmpty ? [] : ["SupportedCapabilities", "SupportedFeatures"]
        #expect(
            adapter["LEAdvertisingManager1"]?.keys.sorted() == (advertising + capabilities).sorted()
        )
    }

    @Test func `the values of a newer adapter`() async throws {
        let adapter = try await objects(World(version: .v5_82).client())["hci1"]
        #expect(adapter?["Adapter1"]?["PowerState"] == .string("on"))
        #expect(adapter?["Adapter1"]?["Connectable"] == .bool(false))
        #expect(adapter?["Adapter1"]?["Manufacturer"] == .uint16(1521))
        #expect(adapter?["Adapter1"]?["Version"] == .byte(9))
        let capabilities = adapter?["LEAdvertisingManager1"]?["SupportedCapabilities"]
        #expect(
            capabilities == .properties(["MaxAdvLen": .byte(31), "MaxScnRspLen": .byte(31)])
        )
    }

    private static let oldTree = [
        "service0008", "service0008/char0009", "service0008/char0009/desc000b",
        "service0008/char000c", "service0008/char000e", "service0008/char0010", "service0012",
        "service0012/char0013", "service0015", "service0015/char0016", "service0015/char0018",
        "service0015/char0018/desc001a",
    ]

    private static let newTree = [
        "service0001", "service0001/char0002", "service0001/char0004", "service0006",
        "service0006/char0007", "service0006/char0007/desc0009", "service0006/char000a",
        "service0006/char000c", "service0010", "service0010/char0011", "service0013",
        "service0013/char0014", "service0013/char0016", "service0013/char0016/desc0018",
    ]

    @Test(
        arguments: [
            (.v5_66, oldTree, ["Device1"], []),
            (.v5_82, newTree, ["Device1"], ["AdvertisingFlags"]),
            (.v5_87, newTree, ["Bearer.LE1", "Device1"], ["AdvertisingFlags", "CablePairing"]),
        ] as [(BlueZVersion, [String], [String], [String])]
    )
    func `a device and below`(
        version: BlueZVersion,
        tree: [String],
        interfaces: [String],
        more: [String]
    ) async throws {
        let world = try await World(version: version)
        let client = try await world.ballConnected()
        let objects = try await objects(client)
        let device = TraceText.path(.ball)
        let below = objects.keys.filter { $0.hasPrefix(device + "/") }.sorted()
        #expect(below == tree.map { "\(device)/\($0)" })
        for path in below {
            for properties in (objects[path] ?? [:]).values {
                let digits = path.suffix(4)
                let handle = version == .v5_66 ? nil : UInt16(digits, radix: 16).map(Value.uint16)
                #expect(properties["Handle"] == handle, "\(path)")
            }
        }
        #expect(objects[device]?.keys.sorted() == interfaces)
        let always = [
            "Adapter", "Address", "AddressType", "Alias", "Blocked", "Bonded", "Connected",
            "LegacyPairing", "Modalias", "Name", "Paired", "ServicesResolved", "Trusted", "UUIDs",
        ]
        #expect(objects[device]?["Device1"]?.keys.sorted() == (always + more).sorted())
        // Nobody has advertised the central.
        let asker = objects[TraceText.path(.asker)]?["Device1"]?.keys.sorted()
        #expect(asker == (always + more.filter { $0 == "CablePairing" }).sorted())
    }
}
