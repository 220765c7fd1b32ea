import DBus
import Foundation

/// A ball on hci1 that does what a test wants, over plain D-Bus: nothing of the SDK is in it.
final class ScriptedBall: Sendable {
    /// What becomes of a question; called on the connection's thread.
    typealias Behaviour = @Sendable (ScriptedBall, MethodCall) -> Void

    private static let service = "8e38140a-27be-4090-8955-4fc4b5698d1e"
    private static let question = "bdd37d7a-f66a-47b9-a49c-fe29fd235a77"
    private static let answer = "349a0d7b-6215-4e2c-a095-af078d737445"
    private static let ballast = "6c8a4c10-3f4e-4d3e-9c35-0b1a0a7f2d11"
    private static let characteristic = "org.bluez.GattCharacteristic1"

    private let connection: Connection
    private let behaviour: Behaviour

    /// Begins to advertise.
    ///
    /// - Parameters:
    ///   - world: where.
    ///   - isConnectable: whether its advertisement allows links.
    ///   - ballast: how many characteristics it has that nobody wants, so that it takes long to
    ///     read what it has.
    ///   - behaviour: what becomes of a question.
    /// - Throws: `BusError`; `ErrorReply` when org.bluez takes no ball.
    init(
        in world: any World,
        isConnectable: Bool = true,
        ballast: Int = 0,
        _ behaviour: @escaping Behaviour
    ) async throws {
        connection = try await world.observer()
        self.behaviour = behaviour
        try await export(isConnectable: isConnectable, ballast: ballast)
        try await register("GattManager1", "RegisterApplication", "/ball")
        try await register("LEAdvertisingManager1", "RegisterAdvertisement", "/ball/advertisement")
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

    /// Leaves the bus, as a program that dies.
    func die() {
        connection.assumeIsolated { $0.close() }
    }

    private func register(
        _ interface: String,
        _ method: String,
        _ path: ObjectPath
    ) async throws {
        _ = try await connection.call(
            .methodCall(
                to: "org.bluez",
                at: "/org/bluez/hci1",
                "org.bluez.\(interface)",
                method,
                [.objectPath(path), .properties([:])]
            )
        )
    }

    private func export(isConnectable: Bool, ballast: Int) async throws {
        let service = ExportedInterface(
            "org.bluez.GattService1",
            values: ["UUID": .string(Self.service), "Primary": .bool(true)]
        )
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
        var description: [String: Value] = [
            "Type": .string(isConnectable ? "peripheral" : "broadcast"),
            "LocalName": .string("Scripted"), "ServiceUUIDs": .strings([Self.service]),
        ]
        // BlueZ forbids it for a broadcast.
        if isConnectable { description["Discoverable"] = .bool(true) }
        let advertisement = ExportedInterface(
            "org.bluez.LEAdvertisement1",
            methods: [.init("Release") { $0.reply() }],
            values: description
        )
        await connection.exportObjectManager(at: "/ball")
        try await connection.export([service], at: "/ball/service")
        try await connection.export([question], at: "/ball/service/question")
        try await connection.export([answer], at: "/ball/service/answer")
        for index in 0..<ballast {
            let path = try ObjectPath("/ball/service/ballast\(index)")
            try await connection.export([characteristic(Self.ballast, "notify")], at: path)
        }
        await connection.exportObjectManager(at: "/ball/advertisement")
        try await connection.export([advertisement], at: "/ball/advertisement")
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
