internal import BLEDBus

/// The objects and interfaces with which programs register something.
///
/// Source: BlueZ, doc/gatt-api.txt, doc/advertising-api.txt, doc/agent-api.txt, doc/media-api.txt.
extension DaemonBus {
    func exportObjectManager() {
        connection.assumeIsolated { $0.exportObjectManager(at: .root) }
    }

    /// Puts the managers on their object; who knows the daemon by its name is told of them.
    func exportManagers() {
        let managers = [agentManager, profileManager]
        export(
            behavior.hasHealthManager ? managers + [healthManager] : managers,
            at: VirtualDaemon.path
        )
    }

    /// Takes the managers away, as a daemon that ends does.
    func unexportManagers() {
        unexport(VirtualDaemon.path, interfaces: ["org.bluez.HealthManager1"])
        unexport(VirtualDaemon.path)
    }

    /// Agents come and go without being asked: nothing is paired here.
    private var agentManager: ExportedInterface {
        ExportedInterface(
            "org.bluez.AgentManager1",
            methods: [
                method("RegisterAgent", [("agent", "o"), ("capability", "s")]) { daemon, call in
                    daemon.changeAgents { call.finish($0.register(call)) }
                },
                method("UnregisterAgent", [("agent", "o")]) { daemon, call in
                    daemon.changeAgents { call.finish($0.unregister(call)) }
                },
                method("RequestDefaultAgent", [("agent", "o")]) {
                    $1.finish($0.agents.check($1))
                },
            ]
        )
    }

    private var profileManager: ExportedInterface {
        ExportedInterface(
            "org.bluez.ProfileManager1",
            methods: [
                method(
                    "RegisterProfile",
                    [("profile", "o"), ("UUID", "s"), ("options", "a{sv}")]
                ) { $1.fail(.notSupported) },
                method("UnregisterProfile", [("profile", "o")]) { $1.fail(.doesNotExist) },
            ]
        )
    }

    private var healthManager: ExportedInterface {
        ExportedInterface(
            "org.bluez.HealthManager1",
            methods: [
                method(
                    "CreateApplication",
                    [("config", "a{sv}")],
                    returns: [("application", "o")]
                ) { $1.fail(.notSupported) },
                method("DestroyApplication", [("application", "o")]) { $1.fail(.doesNotExist) },
            ]
        )
    }

    var media: ExportedInterface {
        let things = [
            ("Endpoint", "endpoint"), ("Player", "player"), ("Application", "application"),
        ]
        var values = [
            "SupportedUUIDs": Value.strings(behavior.mediaUUIDs.map(BluetoothUUIDText.long))
        ]
        if behavior.showsMediaFeatures { values["SupportedFeatures"] = .strings([]) }
        return ExportedInterface(
            InterfaceName.media1,
            methods: things.flatMap { name, argument in
                [
                    method(
                        "Register" + name,
                        [
                            (argument, "o"),
                            (name == "Application" ? "options" : "properties", "a{sv}"),
                        ]
                    ) {
                        $1.fail(.notSupported)
                    },
                    method("Unregister" + name, [(argument, "o")]) { $1.fail(.doesNotExist) },
                ]
            },
            properties: [.init("SupportedUUIDs", "as")]
                + (behavior.showsMediaFeatures ? [.init("SupportedFeatures", "as")] : []),
            values: values
        )
    }

    func gattManager(_ index: Int) -> ExportedInterface {
        ExportedInterface(
            "org.bluez.GattManager1",
            methods: [
                method("RegisterApplication", [("application", "o"), ("options", "a{sv}")]) {
                    $0.registerApplication(on: index, $1)
                },
                method("UnregisterApplication", [("application", "o")]) {
                    $0.unregisterApplication(from: index, $1)
                },
            ]
        )
    }

    func advertisingManager(_ adapter: VirtualAdapter) -> ExportedInterface {
        let index = adapter.index
        return ExportedInterface(
            InterfaceName.advertisingManager,
            methods: [
                method("RegisterAdvertisement", [("advertisement", "o"), ("options", "a{sv}")]) {
                    $0.registerAdvertisement(on: index, $1)
                },
                method("UnregisterAdvertisement", [("service", "o")]) {
                    $0.unregisterAdvertisement(from: index, $1)
                },
            ],
            properties: [
                .init("ActiveInstances", "y"), .init("SupportedInstances", "y"),
                .init("SupportedIncludes", "as"), .init("SupportedSecondaryChannels", "as"),
            ] + (behavior.showsAdvertisingCapabilities ? Self.capabilityProperties : []),
            values: Self.instances(0).merging(abilities) { $1 }
        )
    }

    private static let capabilityProperties: [ExportedInterface.Property] = [
        .init("SupportedCapabilities", "a{sv}"), .init("SupportedFeatures", "as"),
    ]

    private var abilities: [String: Value] {
        var abilities = [
            "SupportedIncludes": Value.strings(["tx-power", "appearance", "local-name"])
        ]
        if behavior.showsAdvertisingCapabilities {
            let length = Value.byte(UInt8(RegisteredAdvertisement.maximumByteCount))
            abilities["SupportedCapabilities"] = .properties([
                "MaxAdvLen": length, "MaxScnRspLen": length,
            ])
            abilities["SupportedFeatures"] = .strings([])
        }
        return abilities
    }

    static func instances(_ count: Int) -> [String: Value] {
        [
            "ActiveInstances": .byte(UInt8(count)),
            "SupportedInstances": .byte(UInt8(VirtualAdapter.maximumAdvertisements - count)),
        ]
    }
}
