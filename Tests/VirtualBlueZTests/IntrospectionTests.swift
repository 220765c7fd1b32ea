import BLEDBus
import Testing
import VirtualBlueZ

/// What objects say of themselves, by release, against traces of the originals.
@Suite("Introspection of releases", .timeLimit(.minutes(10)))
struct IntrospectionTests {
    /// The properties that an object says it has, each with its access.
    private func properties(_ client: Client, _ path: ObjectPath) async throws -> Set<String> {
        let reply = try await client.call("Introspect", on: path, .introspectable)
        let lines = (reply.first?.string ?? "").split(separator: "\n")
        return Set(
            lines.compactMap { line in
                let words = line.split(separator: "\"")
                guard words.count > 5, line.contains("<property ") else { return nil }
                return "\(words[1]) \(words[5])"
            }
        )
    }

    private static let controller = [
        "PowerState read", "Connectable readwrite", "Manufacturer read", "Version read",
        "SupportedCapabilities read",
    ]
    private static let advertised = [
        "AdvertisingFlags read", "AdvertisingData read", "Sets read",
    ]

    @Test(
        arguments: [
            (.v5_66, [], controller + advertised + ["Handle read", "CablePairing read"]),
            (.v5_82, controller + advertised + ["Handle read"], ["CablePairing read"]),
            (.v5_87, controller + advertised + ["Handle read", "CablePairing read"], []),
        ] as [(BlueZVersion, [String], [String])]
    )
    func `a release names the properties that it has`(
        version: BlueZVersion,
        present: [String],
        absent: [String]
    ) async throws {
        let world = try await World(version: version)
        let client = try await world.ballConnected()
        let all = try await properties(client, .hci0).union(properties(client, .ball))
            .union(properties(client, world.release.question))
        #expect(all.isSuperset(of: present))
        #expect(all.isDisjoint(with: absent))
        #expect(all.contains("Alias readwrite"))
    }

    @Test func `what is only above others has no interface`() async throws {
        let client = try await World().client()
        let reply = try await client.call("Introspect", on: "/org", .introspectable)
        #expect(reply.first?.string?.contains("<node name=\"bluez\"/>") == true)
        #expect(reply.first?.string?.contains("<interface") == false)
    }
}
