import BLEDBus

extension Client {
    /// Exports an application's objects below a path; its service may ask for a handle.
    func serve(
        _ characteristics: [AppCharacteristic],
        at root: ObjectPath = "/ball",
        handle: UInt16? = nil
    ) async throws {
        let service = try root.appending("service")
        var properties: [String: Value] = [
            "UUID": .string(UUIDs.service), "Primary": .bool(true),
        ]
        if let handle { properties["Handle"] = .uint16(handle) }
        var objects = [Self.object(service, "org.bluez.GattService1", properties)]
        for characteristic in characteristics {
            let path = try service.appending(characteristic.name)
            var properties: [String: Value] = [
                "UUID": .string(characteristic.uuid),
                "Service": .objectPath(service),
                "Flags": .strings(characteristic.flags),
            ]
            for name in characteristic.acquired { properties[name] = .bool(false) }
            if characteristic.hasHandles { properties["Handle"] = .uint16(0) }
            objects.append(Self.object(path, Interface.characteristic.rawValue, properties))
            try await connection.export([characteristicInterface], at: path)
            guard !characteristic.descriptorFlags.isEmpty else { continue }
            let descriptor = try path.appending("descriptor")
            var values: [String: Value] = [
                "UUID": .string(UUIDs.descriptor),
                "Characteristic": .objectPath(path),
                "Flags": .strings(characteristic.descriptorFlags),
            ]
            if characteristic.hasHandles { values["Handle"] = .uint16(0) }
            objects.append(Self.object(descriptor, Interface.descriptor.rawValue, values))
            let interface = ExportedInterface(Interface.descriptor.rawValue, methods: valueMethods)
            try await connection.export([interface], at: descriptor)
        }
        try await serve(objects: .dictionary(key: "o", value: "a{sa{sv}}", objects), at: root)
    }

    /// Exports an object manager with a fixed reply.
    func serve(objects: Value, at root: ObjectPath) async throws {
        let manager = ExportedInterface(
            Interface.objectManager.rawValue,
            methods: [
                .init("GetManagedObjects", results: [.init("objects", "a{oa{sa{sv}}}")]) { call in
                    call.reply([objects])
                }
            ]
        )
        try await connection.export([manager], at: root)
    }

    /// How a value is read and written.
    private var valueMethods: [ExportedInterface.Method] {
        let value = Value.text("Ask again later.")
        return [
            .init(
                "ReadValue",
                arguments: [.init("options", "a{sv}")],
                results: [.init("value", "ay")]
            ) { [weak self] call in self?.assumeIsolated { $0.serve(call, asReply: [value]) } },
            .init(
                "WriteValue",
                arguments: [.init("value", "ay"), .init("options", "a{sv}")]
            ) { [weak self] call in self?.assumeIsolated { $0.serve(call, asReply: []) } },
        ]
    }

    private var characteristicInterface: ExportedInterface {
        let others: [ExportedInterface.Method] = [
            socketMethod("AcquireWrite"), socketMethod("AcquireNotify"),
            .init("StartNotify") { [weak self] call in
                self?.assumeIsolated { $0.serve(call, asReply: []) }
            },
            .init("StopNotify") { [weak self] call in
                self?.assumeIsolated { $0.serve(call, asReply: []) }
            },
            .init("Confirm") { [weak self] call in
                self?.assumeIsolated { $0.serve(call, asReply: []) }
            },
        ]
        return ExportedInterface(
            Interface.characteristic.rawValue,
            methods: valueMethods + others
        )
    }

    private func socketMethod(_ name: String) -> ExportedInterface.Method {
        .init(
            name,
            arguments: [.init("options", "a{sv}")],
            results: [.init("fd", "h"), .init("mtu", "q")]
        ) { [weak self] call in self?.assumeIsolated { $0.serveSocket(call) } }
    }

    private static func object(
        _ path: ObjectPath,
        _ interface: String,
        _ properties: [String: Value]
    ) -> Value.Entry {
        Value.Entry(
            .objectPath(path),
            .dictionary(
                key: "s",
                value: "a{sv}",
                [Value.Entry(.string(interface), .properties(properties))]
            )
        )
    }

    func register(_ root: ObjectPath = "/ball", on adapter: ObjectPath = .hci1) async throws {
        let body: [Value] = [.objectPath(root), .noOptions]
        _ = try await call("RegisterApplication", on: adapter, .gattManager, body)
    }

    func unregister(_ root: ObjectPath = "/ball") async throws {
        _ = try await call("UnregisterApplication", on: .hci1, .gattManager, [.objectPath(root)])
    }

    /// Exports an advertisement and registers it.
    func advertise(
        _ properties: [String: Value],
        at path: ObjectPath = "/ball/advertisement",
        on adapter: ObjectPath = .hci1
    ) async throws {
        let ball: [String: Value] = ["Type": .string("peripheral"), "LocalName": .string("8-Ball")]
        let advertisement = ExportedInterface(
            "org.bluez.LEAdvertisement1",
            methods: [
                .init("Release") { [weak self] call in
                    self?.assumeIsolated { $0.serve(call, asReply: []) }
                }
            ],
            values: ball.merging(properties) { $1 }
        )
        try await connection.export([advertisement], at: path)
        let body: [Value] = [.objectPath(path), .noOptions]
        _ = try await call("RegisterAdvertisement", on: adapter, .advertisingManager, body)
    }

    /// Lets the daemon know a peer, hci1 if nothing is said, on another adapter.
    func find(
        from adapter: ObjectPath = .hci0,
        peer: String = "dev_00_AA_01_01_00_01"
    ) async throws {
        let filter = Value.properties([
            "Transport": .string("le"), "DuplicateData": .bool(true),
        ])
        _ = try await call("SetDiscoveryFilter", on: adapter, .adapter, [filter])
        _ = try await call("StartDiscovery", on: adapter, .adapter)
        try await upTo("+ \(TraceText.path(adapter))/\(peer) \(world.release.device)")
        _ = try await call("StopDiscovery", on: adapter, .adapter)
        try await upToNow()
    }

    /// Notifies a value, as an application does.
    func notify(_ text: String, from path: ObjectPath = "/ball/service/answer") async throws {
        try await connection.send(
            .signal(
                from: path,
                Interface.properties.rawValue,
                "PropertiesChanged",
                [
                    .string(Interface.characteristic.rawValue),
                    .properties(["Value": .text(text)]), .strings([]),
                ]
            )
        )
    }

    /// Where in the value each call of a method begins, as the application is told; `nil` where nothing is said.
    func offsets(of member: String) async -> AsyncStream<UInt16?> {
        let (offsets, offset) = AsyncStream.makeStream(of: UInt16?.self)
        await connection.interceptCalls { call in
            guard call.message.member == member else { return false }
            offset.yield((try? call.message.body())?.last?.properties?["offset"]?.uint16)
            return false
        }
        return offsets
    }
}
