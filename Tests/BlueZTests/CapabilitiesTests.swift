import BLE
import BLEDBus
import BlueZ
import Testing
import VirtualBlueZ

@Suite("Capabilities", .timeLimit(.minutes(10)))
struct CapabilitiesTests {
    @Test(
        arguments: [
            (.v5_66, SystemVersion(major: 5, minor: 66), false),
            (.v5_82, SystemVersion(major: 5, minor: 82), true),
            (.v5_87, SystemVersion(major: 5, minor: 87), true),
        ] as [(BlueZVersion, SystemVersion, Bool)]
    )
    func `are those of the version`(
        version: BlueZVersion,
        expected: SystemVersion,
        isRecent: Bool
    ) async throws {
        let room = try await Room(version)
        let capabilities = await room.serving.capabilities
        #expect(capabilities.version == expected && capabilities.system == "BlueZ \(expected)")
        #expect(capabilities.roles?.isSuperset(of: [.central, .peripheral]) == true)
        let recent: RadioCapabilities.Features = [
            .individualNotifications, .namedSubscribers, .orderedValues,
        ]
        #expect(capabilities.features.contains(.exclusiveAccess))
        #expect(capabilities.features.intersection(recent) == (isRecent ? recent : []))
        // What is longer is lost without a word by one version or another.
        #expect(
            capabilities.lengths
                == RadioCapabilities.Lengths(value: 512, command: 508, notification: 512)
        )
        await room.close()
    }

    @Test(
        arguments: [
            (["central"], .central), (["peripheral"], .peripheral),
            (
                ["central", "peripheral", "central-peripheral"],
                [.central, .peripheral, .simultaneous]
            ),
            (["something new"], []),
        ] as [([String], RadioCapabilities.Roles)]
    )
    func `have the adapter's roles`(
        names: [String],
        roles: RadioCapabilities.Roles
    ) async throws {
        let world = try await World()
        try await world.daemon.set(
            ["Roles": .strings(names)],
            of: "org.bluez.Adapter1",
            at: ScriptedDaemon.adapter
        )
        let adapter = try await world.open()
        #expect(await adapter.capabilities.roles == roles)
        await adapter.close()
    }
}
