import BLE
import BLEDBus
import BLEDBusTesting
import BLETesting
import Testing

@testable import BlueZ

/// A bus, a scripted daemon on it, and what tests of the adapter ask of them.
struct World {
    static let ball = PeerID(rawValue: "00:AA:01:01:00:01")
    static let service = uuid(ScriptedDaemon.serviceUUID)
    static let question = AttributeID(
        service: service,
        characteristic: uuid(ScriptedDaemon.questionUUID)
    )
    static let answer = AttributeID(
        service: service,
        characteristic: uuid(ScriptedDaemon.answerUUID)
    )

    let bus: PrivateBus
    let daemon: ScriptedDaemon
    /// The clock of the adapters that are opened here.
    let clock = BLETesting.ManualClock()

    init(adapters: [String] = ["hci0"], isPowered: Bool = true) async throws {
        bus = try await PrivateBus.start()
        daemon = try await ScriptedDaemon(on: bus, adapters: adapters, isPowered: isPowered)
    }

    /// An adapter that calls at once, but for what is told of it otherwise.
    func open(
        _ name: String? = nil,
        linkPause: Duration = .zero,
        longestCallPause: Duration = .zero,
        servingPause: Duration = .zero,
        takingLimit: Duration = Recovery().takingLimit,
        requestLimit: Duration = Recovery().requestLimit
    ) async throws -> Adapter {
        var recovery = Recovery(clock: clock)
        recovery.linkPause = linkPause
        recovery.longestCallPause = longestCallPause
        recovery.servingPause = servingPause
        recovery.takingLimit = takingLimit
        recovery.requestLimit = requestLimit
        let address = BusAddress(bus.address)
        let adapter = try await Adapter.open(name, at: address, recovery: recovery)
        await daemon.know([adapter.connection.uniqueName])
        return adapter
    }

    /// A link to the ball that this program makes, its services resolved.
    func link(_ adapter: Adapter) async throws -> RemoteLink {
        let count = await daemon.count("Connect")
        let task = Task { try await adapter.link(to: Self.ball) }
        while await daemon.count("Connect") == count { await Task.yield() }
        try await showLink()
        return try #require(try await task.value as? RemoteLink)
    }

    /// Makes a link to the ball whose call is held.
    func link(
        _ adapter: Adapter,
        replyingTo calls: inout AsyncStream<MethodCall>.Iterator
    ) async throws {
        let task = Task { try await adapter.link(to: Self.ball) }
        await calls.next(isolation: #isolation)?.reply()
        try await daemon.addServices()
        try await tell(["ServicesResolved": .bool(true)])
        _ = try await task.value
    }

    /// Some program advertises with the adapter from now on.
    func advertise() async throws {
        try await daemon.set(
            ["ActiveInstances": .byte(1)],
            of: LEAdvertisingManager1.interface,
            at: ScriptedDaemon.adapter
        )
    }

    /// A link to the ball that another program has made.
    func foreignLink(_ adapter: Adapter) async throws -> RemoteLink {
        try await showLink()
        return try #require(try await adapter.link(to: Self.ball) as? RemoteLink)
    }

    private func showLink() async throws {
        try await daemon.addServices()
        try await tell(["ServicesResolved": .bool(true), "Connected": .bool(true)])
    }

    /// Changes properties of the ball's device.
    func tell(_ properties: [String: Value?]) async throws {
        try await daemon.set(properties, of: Device1.interface, at: ScriptedDaemon.device)
    }

    private static func uuid(_ text: String) -> BluetoothUUID {
        BluetoothUUID(text) ?? BluetoothUUID(assignedNumber: 0)
    }
}

/// Whether an error is a radio's, of a kind.
func isRadioError(_ code: RadioError.Code) -> @Sendable (any Error) -> Bool {
    { ($0 as? RadioError)?.code == code }
}

extension Adapter {
    /// Publishes a ball.
    func publish(
        named name: String = "8-Ball",
        question: CharacteristicProperties = .write,
        options: PublicationOptions = [],
        responder: ScriptedResponder
    ) async throws -> any Publication {
        let service = GATTService(
            uuid: World.service,
            characteristics: [
                GATTCharacteristic(uuid: World.question.characteristic, properties: question),
                GATTCharacteristic(
                    uuid: World.answer.characteristic,
                    properties: [.read, .notify]
                ),
            ]
        )
        return try await publish(
            service,
            advertising: Advertisement(localName: name, serviceUUIDs: [World.service]),
            options: options,
            responder: responder
        )
    }
}
