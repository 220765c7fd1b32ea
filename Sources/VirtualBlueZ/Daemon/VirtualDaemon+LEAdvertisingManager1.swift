internal import DBus

/// LEAdvertisingManager1: advertisements come and go.
///
/// Source: BlueZ, doc/advertising-api.txt.
extension VirtualDaemon {
    static let advertisingManager = "org.bluez.LEAdvertisingManager1"
    private static let advertisement1 = "org.bluez.LEAdvertisement1"

    func advertisingManager(_ adapter: VirtualAdapter) -> ExportedInterface {
        let index = adapter.index
        return ExportedInterface(
            Self.advertisingManager,
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
                .init("SupportedCapabilities", "a{sv}"), .init("SupportedFeatures", "as"),
            ],
            values: Self.instances(0).merging(abilities) { $1 }
        )
    }

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

    private static func instances(_ count: Int) -> [String: Value] {
        [
            "ActiveInstances": .byte(UInt8(count)),
            "SupportedInstances": .byte(UInt8(VirtualAdapter.maximumAdvertisements - count)),
        ]
    }

    private static let tooMany = ErrorReply.notPermitted("Maximum advertisements reached")

    // MARK: - Coming

    private func registerAdvertisement(on index: Int, _ call: MethodCall) {
        guard let path = call.arguments.first?.objectPath, let adapter = adapters[index] else {
            return
        }
        let id = RegisteredAdvertisement.ID(owner: call.sender, path: path)
        guard !adapter.advertisements.contains(where: { $0.id == id }),
            adapters[index]?.newAdvertisements.insert(id).inserted == true
        else { return call.fail(.alreadyExists) }
        guard adapter.advertisements.count < VirtualAdapter.maximumAdvertisements else {
            adapters[index]?.newAdvertisements.remove(id)
            return call.fail(Self.tooMany)
        }
        self.call(
            id.owner,
            at: path,
            "org.freedesktop.DBus.ObjectManager",
            "GetManagedObjects"
        ) { daemon, _ in
            daemon.readAdvertisement(id, on: index, call)
        }
    }

    private func readAdvertisement(
        _ id: RegisteredAdvertisement.ID,
        on index: Int,
        _ call: MethodCall
    ) {
        self.call(
            id.owner,
            at: id.path,
            "org.freedesktop.DBus.Properties",
            "GetAll",
            [.string(Self.advertisement1)]
        ) { daemon, result in
            daemon.adapters[index]?.newAdvertisements.remove(id)
            // One that can't be asked has no properties.
            let properties = try? result.get().first?.properties
            do throws(ErrorReply) {
                try daemon.addAdvertisement(id, properties ?? [:], to: index)
                call.reply()
                daemon.beginAdvertising(id, on: index)
            } catch {
                call.fail(error)
            }
        }
    }

    private func addAdvertisement(
        _ id: RegisteredAdvertisement.ID,
        _ properties: [String: Value],
        to index: Int
    ) throws(ErrorReply) {
        guard let adapter = adapters[index] else { throw .doesNotExist }
        guard adapter.advertisements.count < VirtualAdapter.maximumAdvertisements else {
            throw Self.tooMany
        }
        let advertisement = try RegisteredAdvertisement(
            id,
            properties,
            alias: adapter.alias,
            readsScanResponse: behavior.advertisesInScanResponse
        )
        guard adapter.isPowered else { throw .failed("Failed to register advertisement") }
        adapters[index]?.advertisements.append(advertisement)
        tellInstances(of: index)
    }

    private func beginAdvertising(_ id: RegisteredAdvertisement.ID, on index: Int) {
        let new = adapters[index]?.advertisements.first { $0.id == id }
        guard let new else { return }
        announce(new, from: index)
        retryConnecting(to: index)
    }

    // MARK: - Going

    private func unregisterAdvertisement(from index: Int, _ call: MethodCall) {
        let id = call.arguments.first?.objectPath.map {
            RegisteredAdvertisement.ID(owner: call.sender, path: $0)
        }
        guard let id, adapters[index]?.advertisements.contains(where: { $0.id == id }) == true
        else { return call.fail(.doesNotExist) }
        adapters[index]?.advertisements.removeAll { $0.id == id }
        tellInstances(of: index)
        call.reply()
    }

    /// Forgets the advertisements of a client that has left.
    func removeAdvertisements(of client: String, from index: Int) {
        let count = adapters[index]?.advertisements.count
        adapters[index]?.advertisements.removeAll { $0.id.owner == client }
        if adapters[index]?.advertisements.count != count { tellInstances(of: index) }
    }

    /// Tells an application that its advertisement is no longer there.
    func release(_ id: RegisteredAdvertisement.ID) {
        call(id.owner, at: id.path, Self.advertisement1, "Release") { _, _ in }
    }

    private func tellInstances(of index: Int) {
        guard let adapter = adapters[index] else { return }
        let instances = Self.instances(adapter.advertisements.count)
        change(
            instances.mapValues(Optional.some),
            of: Self.advertisingManager,
            at: adapter.path
        )
    }
}
