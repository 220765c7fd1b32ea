import BLE
import BLEDBus
import BLEDBusTesting

@testable import BlueZ

/// An org.bluez of which a test decides each word: for what a well-behaved daemon never does, and
/// for moments that it passes through too quickly.
///
/// It has an adapter hci0 with power and a ball that is known but not connected. Calls succeed at
/// once unless they are held.
actor ScriptedDaemon {
    static let adapter: ObjectPath = "/org/bluez/hci0"
    static let device: ObjectPath = "/org/bluez/hci0/dev_00_AA_01_01_00_01"
    static let service: ObjectPath = "/org/bluez/hci0/dev_00_AA_01_01_00_01/service0015"
    static let question: ObjectPath = "/org/bluez/hci0/dev_00_AA_01_01_00_01/service0015/char0016"
    static let descriptor: ObjectPath =
        "/org/bluez/hci0/dev_00_AA_01_01_00_01/service0015/char0016/desc0017"
    static let answer: ObjectPath = "/org/bluez/hci0/dev_00_AA_01_01_00_01/service0015/char0018"

    static let serviceUUID = "8e38140a-27be-4090-8955-4fc4b5698d1e"
    static let questionUUID = "bdd37d7a-f66a-47b9-a49c-fe29fd235a77"
    static let answerUUID = "349a0d7b-6215-4e2c-a095-af078d737445"

    private let connection: Connection
    private var held: [String: AsyncStream<MethodCall>.Continuation] = [:]
    /// Calls that wait until a test replies; `nil` while none of them is kept.
    private var kept: [MethodCall]?
    private var called: [String] = []
    /// Who has called, or is known to listen.
    private(set) var clients: Set<String> = []
    private var waiting: [(member: String, promise: Promise<Void>)] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

    /// Takes the name on a bus.
    init(on bus: PrivateBus, adapters: [String] = ["hci0"], isPowered: Bool = true) async throws {
        connection = try await Connection.open(BusAddress(bus.address))
        await connection.exportObjectManager(at: .root)
        for name in adapters { try await addAdapter(name, isPowered: isPowered) }
        if adapters.contains("hci0") { try await addDevice() }
        try await connection.requestName("org.bluez")
    }

    /// Ends as by a crash; returns when the bus has dropped it, so that another can take its place.
    func stop() async {
        await connection.close()
        await connection.waitUntilDropped()
    }

    // MARK: - Objects

    func addAdapter(
        _ name: String = "hci0",
        isPowered: Bool = true,
        address: String? = nil
    ) async throws {
        let address = address ?? "00:AA:01:00:00:0\(name.last ?? "0")"
        try await export(
            Adapter1.parent.appending(name),
            Adapter1.interface,
            [
                "Address": .string(address), "Powered": .bool(isPowered),
                "Discovering": .bool(false),
            ],
            [
                ("SetDiscoveryFilter", "a{sv}"), ("StartDiscovery", ""), ("StopDiscovery", ""),
                ("RemoveDevice", "o"),
            ]
        )
        try await export(
            Adapter1.parent.appending(name),
            GattManager1.interface,
            [:],
            [("RegisterApplication", "oa{sv}"), ("UnregisterApplication", "o")]
        )
        try await export(
            Adapter1.parent.appending(name),
            LEAdvertisingManager1.interface,
            ["ActiveInstances": .byte(0)],
            [("RegisterAdvertisement", "oa{sv}"), ("UnregisterAdvertisement", "o")]
        )
    }

    func addDevice(
        _ properties: [String: Value] = [:],
        at path: ObjectPath = ScriptedDaemon.device,
        address: String = "00:AA:01:01:00:01"
    ) async throws {
        var all: [String: Value] = [
            "Address": .string(address), "AddressType": .string("public"),
            "Name": .string("8-Ball"), "Connected": .bool(false), "ServicesResolved": .bool(false),
            "UUIDs": .strings([Self.serviceUUID]), "Adapter": .objectPath(Self.adapter),
        ]
        all.merge(properties) { $1 }
        try await export(
            path,
            Device1.interface,
            all,
            [("Connect", ""), ("Disconnect", "")]
        )
    }

    /// Tells that the device was removed, and made anew at once, in bluetoothd's order: first the new one, then the end of the old one.
    func replaceDevice() async throws {
        try await addDevice()
        let removal: Message = try .signal(
            from: .root,
            "org.freedesktop.DBus.ObjectManager",
            "InterfacesRemoved",
            [.objectPath(Self.device), .strings([Device1.interface])]
        )
        try await connection.send(removal)
        await untilHandled()
    }

    func addServices(
        at service: ObjectPath = ScriptedDaemon.service,
        answerFlags: [String] = ["read", "notify"]
    ) async throws {
        try await export(
            service,
            GattService1.interface,
            ["UUID": .string(Self.serviceUUID), "Primary": .bool(true)],
            []
        )
        for (name, uuid, flags) in [
            ("char0016", Self.questionUUID, ["write"]), ("char0018", Self.answerUUID, answerFlags),
        ] {
            try await export(
                service.appending(name),
                GattCharacteristic1.interface,
                [
                    "UUID": .string(uuid), "Service": .objectPath(service),
                    "Flags": .strings(flags), "MTU": .uint16(517), "Value": .bytes([]),
                ],
                [
                    ("ReadValue", "a{sv}"), ("WriteValue", "aya{sv}"), ("StartNotify", ""),
                    ("StopNotify", ""), ("AcquireWrite", "a{sv}"), ("AcquireNotify", "a{sv}"),
                ]
            )
        }
        await untilHandled()
    }

    /// The question has a description.
    func addDescriptor() async throws {
        try await export(
            Self.descriptor,
            GattDescriptor1.interface,
            ["UUID": .string("2901"), "Characteristic": .objectPath(Self.question)],
            [("ReadValue", "a{sv}"), ("WriteValue", "aya{sv}")]
        )
        await untilHandled()
    }

    private func export(
        _ path: ObjectPath,
        _ interface: String,
        _ values: [String: Value],
        _ methods: [(name: String, types: String)]
    ) async throws {
        let exported = ExportedInterface(
            interface,
            methods: try methods.map { name, types in
                let arguments = types.isEmpty ? [] : try Self.arguments(types)
                return .init(name, arguments: arguments) { [weak self] call in
                    self?.assumeIsolated { $0.handle(call) }
                }
            },
            values: values
        )
        try await connection.export([exported], at: path)
    }

    private static func arguments(
        _ types: String
    ) throws -> [ExportedInterface.Argument] {
        switch types {
        case "oa{sv}": [.init("path", "o"), .init("options", "a{sv}")]
        case "aya{sv}": [.init("value", "ay"), .init("options", "a{sv}")]
        default: [.init("value", try Signature(types))]
        }
    }

    func set(_ properties: [String: Value?], of interface: String, at path: ObjectPath) async throws
    {
        try await connection.update(properties, of: interface, at: path)
        await untilHandled()
    }

    /// Changes properties, and does not signal it.
    func hide(
        _ properties: [String: Value?],
        of interface: String,
        at path: ObjectPath
    ) async throws {
        try await connection.update(properties, of: interface, at: path, isTold: false)
    }

    /// The device is heard.
    func hear(_ rssi: Int16 = -50, _ more: [String: Value?] = [:]) async throws {
        let properties: [String: Value?] = ["RSSI": .int16(rssi)]
        try await set(
            properties.merging(more) { $1 },
            of: Device1.interface,
            at: Self.device
        )
    }

    func notify(_ value: [UInt8]) async throws {
        try await set(
            ["Value": .bytes(value)],
            of: GattCharacteristic1.interface,
            at: Self.answer
        )
    }

    func remove(_ paths: ObjectPath...) async throws {
        for path in paths { try await connection.unexport(path) }
        await untilHandled()
    }

    /// Returns when all who have called have handled what was told them: they reply to a ping in
    /// its turn.
    func untilHandled() async {
        for client in clients {
            do {
                let ping = try Message.methodCall(
                    to: client,
                    at: .root,
                    "org.freedesktop.DBus.Peer",
                    "Ping"
                )
                _ = try await connection.call(ping)
            } catch {
                // Who has left the bus has nothing to handle.
                clients.remove(client)
            }
        }
    }

    // MARK: - Calls

    private func handle(_ call: MethodCall) {
        let member = call.message.member ?? ""
        if let continuation = held[member] {
            continuation.yield(call)
        } else if kept != nil {
            kept?.append(call)
        } else {
            call.reply(member == "ReadValue" ? [.bytes([42])] : [])
        }
        called.append(member)
        clients.insert(call.sender)
        let ready = waiting.filter { $0.member == member }
        waiting.removeAll { $0.member == member }
        for (_, promise) in ready { promise.fulfil() }
    }

    /// From now on the test replies to a method's calls.
    func hold(_ member: String) -> AsyncStream<MethodCall> {
        let (calls, continuation) = AsyncStream.makeStream(of: MethodCall.self)
        held[member] = continuation
        return calls
    }

    /// From now on the test replies to who asks for a property.
    func holdQuestions(for property: String) async -> AsyncStream<MethodCall> {
        let (calls, continuation) = AsyncStream.makeStream(of: MethodCall.self)
        await connection.interceptCalls { call in
            guard call.message.member == "Get",
                (try? call.message.body())?.last?.string == property
            else { return false }
            continuation.yield(call)
            return true
        }
        return calls
    }

    /// Replies to such a question as if it had not been held.
    func answer(_ question: MethodCall) async { await connection.serve(question) }

    /// These listen: what is told here returns when they have handled it.
    func know(_ clients: Set<String>) { self.clients.formUnion(clients) }

    /// From now on the test replies to all calls.
    func keepAll() { kept = [] }

    /// The calls without a reply, in their order.
    func keptCalls() -> [MethodCall] { kept ?? [] }

    /// Replies to a call.
    func reply(at index: Int, _ reply: (MethodCall) -> Void) {
        guard let call = kept?.remove(at: index) else { return }
        reply(call)
    }

    /// Waits until a method has been called, or the test's time is over.
    func wasCalled(_ member: String) async {
        guard !called.contains(member) else { return }
        let promise = Promise<Void>()
        waiting.append((member, promise))
        try? await promise.wait()
    }

    func count(_ member: String) -> Int {
        called.count { $0 == member }
    }

    /// The values that applications tell, in order.
    func values() async throws -> AsyncStream<[UInt8]> {
        let (values, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        let rule = MatchRule(
            interface: "org.freedesktop.DBus.Properties",
            member: "PropertiesChanged",
            pathNamespace: "/ble"
        )
        try await connection.subscribe(to: rule) { signal in
            let changed = (try? signal.body())?[1].properties ?? [:]
            if let value = changed["Value"]?.bytes { continuation.yield(value) }
        }
        return values
    }

    /// Calls a method of an application, as bluetoothd does.
    func call(
        _ path: ObjectPath,
        of application: String,
        _ member: String,
        _ body: [Value] = [],
        _ interface: String = GattCharacteristic1.interface
    ) async throws -> [Value] {
        try await connection.call(
            .methodCall(to: application, at: path, interface, member, body)
        ).body()
    }
}
