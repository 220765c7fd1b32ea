import BLEDBus
import Foundation

/// A ball on hci1 that does what a test wants, over plain D-Bus: nothing of the SDK is in it.
final class ScriptedBall: Sendable {
    /// What becomes of a question; called on the connection's thread.
    typealias Behaviour = @Sendable (ScriptedBall, MethodCall) -> Void

    private static let service = "8e38140a-27be-4090-8955-4fc4b5698d1e"
    private static let question = "bdd37d7a-f66a-47b9-a49c-fe29fd235a77"
    private static let answer = "349a0d7b-6215-4e2c-a095-af078d737445"
    private static let ballast = "6c8a4c10-3f4e-4d3e-9c35-0b1a0a7f2d11"
    private static let advertisement: ObjectPath = "/ball/advertisement"
    private static let characteristic = "org.bluez.GattCharacteristic1"

    private let connection: Connection
    private let behaviour: Behaviour

    /// Begins to advertise.
    ///
    /// - Parameters:
    ///   - world: where.
    ///   - isShy: whether it no longer advertises once hci0 has heard it, and so takes no link.
    ///   - name: under which it advertises.
    ///   - ballast: how many characteristics it has that nobody wants, so that it takes long to
    ///     read what it has.
    ///   - behaviour: what becomes of a question.
    /// - Throws: `BusError`; `ErrorReply` when org.bluez takes no ball.
    init(
        in world: any World,
        isShy: Bool = false,
        name: String = "Scripted",
        ballast: Int = 0,
        _ behaviour: @escaping Behaviour
    ) async throws {
        connection = try await world.observer()
        self.behaviour = behaviour
        try await export(name: name, ballast: ballast)
        if isShy { try await hide(from: world.device(1)) }
        for (interface, method, path) in [
            ("GattManager1", "RegisterApplication", "/ball"),
            ("LEAdvertisingManager1", "RegisterAdvertisement", Self.advertisement),
        ] as [(String, String, ObjectPath)] {
            let arguments: [Value] = [.objectPath(path), .properties([:])]
            _ = try await connection.call(Self.call(interface, method, arguments))
        }
    }

    /// Tells an answer to whoever has subscribed.
    func notify(_ value: [UInt8]) {
        connection.assumeIsolated { connection in
            try? connection.update(
                ["Value": .bytes(value)],
                of: Self.characteristic,
                at: "/ball/service/answer"
            )
        }
    }

    /// Leaves the bus, as a program that dies; from within its behaviour.
    func die() {
        connection.assumeIsolated { $0.close() }
    }

    /// Leaves the bus, as a program that dies.
    func leave() async {
        await connection.close()
    }

    private static func call(
        _ interface: String,
        _ method: String,
        _ arguments: [Value]
    ) throws -> Message {
        try .methodCall(
            to: "org.bluez",
            at: "/org/bluez/hci1",
            "org.bluez.\(interface)",
            method,
            arguments
        )
    }

    /// Stops advertising when the ball has become a device.
    private func hide(from device: ObjectPath) async throws {
        let unregister = try Self.call(
            "LEAdvertisingManager1",
            "UnregisterAdvertisement",
            [.objectPath(Self.advertisement)]
        )
        let rule = MatchRule(sender: "org.bluez", member: "InterfacesAdded")
        // At once, and so before the asker, who hears of it at the same time, wants a link.
        try await connection.subscribe(to: rule) { [weak connection] signal in
            guard (try? signal.body())?.first?.objectPath == device else { return }
            connection?.assumeIsolated { $0.call(unregister) { _ in } }
        }
    }

    private func export(name: String, ballast: Int) async throws {
        var properties: [String: Value] = [
            "UUID": .string(Self.service), "Primary": .bool(true),
        ]
        // Two such balls without handles of their own take bluetoothd beyond 1,023, after which it tells nobody that a
        // service has gone (Docs/Conformance.md, "Handles").
        if ballast > 0 { properties["Handle"] = .uint16(0x40) }
        let service = ExportedInterface("org.bluez.GattService1", values: properties)
        let question = characteristic(
            Self.question,
            "write",
            .init("WriteValue", arguments: [.init("value", "ay"), .init("options", "a{sv}")]) {
                [weak self] call in
                if let self { behaviour(self, call) }
            }
        )
        let answer = characteristic(
            Self.answer,
            "notify",
            .init("StartNotify") { $0.reply() },
            .init("StopNotify") { $0.reply() }
        )
        let advertisement = ExportedInterface(
            "org.bluez.LEAdvertisement1",
            methods: [.init("Release") { $0.reply() }],
            values: [
                "Type": .string("peripheral"), "LocalName": .string(name),
                "ServiceUUIDs": .strings([Self.service]), "Discoverable": .bool(true),
            ]
        )
        await connection.exportObjectManager(at: "/ball")
        try await connection.export([service], at: "/ball/service")
        try await connection.export([question], at: "/ball/service/question")
        try await connection.export([answer], at: "/ball/service/answer")
        for index in 0..<ballast {
            let path = try ObjectPath("/ball/service/ballast\(index)")
            try await connection.export([characteristic(Self.ballast, "notify")], at: path)
        }
        await connection.exportObjectManager(at: Self.advertisement)
        try await connection.export([advertisement], at: Self.advertisement)
    }

    private func characteristic(
        _ uuid: String,
        _ flag: String,
        _ methods: ExportedInterface.Method...
    ) -> ExportedInterface {
        ExportedInterface(
            Self.characteristic,
            methods: methods,
            values: [
                "UUID": .string(uuid), "Service": .objectPath("/ball/service"),
                "Flags": .strings([flag]),
            ]
        )
    }
}
