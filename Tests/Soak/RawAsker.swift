import BLEDBus

/// An asker over plain D-Bus, with hci0, of the ball on hci1: nothing of the SDK is in it.
actor RawAsker {
    /// What came of a question.
    enum Outcome: Hashable {
        case answered, refused, lost
    }

    private static let adapter: ObjectPath = "/org/bluez/hci0"
    private static let ball: ObjectPath = "/org/bluez/hci0/dev_00_AA_01_01_00_01"
    private static let privateQuestion = "544dcf2d-80b8-443d-8ecf-24148a54e30c"
    private static let reply = "81d7c03f-cd6c-42e3-a494-a1800cfa129d"

    private let connection: Connection
    private let signals: AsyncStream<Message>
    private var characteristics: [String: ObjectPath] = [:]

    init(bus: String) async throws {
        connection = try await Connection.open(BusAddress(bus))
        let (signals, continuation) = AsyncStream.makeStream(of: Message.self)
        self.signals = signals
        try await connection.subscribe(to: MatchRule(sender: "org.bluez")) {
            continuation.yield($0)
        }
    }

    /// Waits until the ball is heard.
    func find() async throws {
        _ = try await call(Self.adapter, "org.bluez.Adapter1", "StartDiscovery")
        while let signal = await next() {
            let added = signal.member == "InterfacesAdded" ? try signal.body().first : nil
            if added?.objectPath == Self.ball { break }
        }
        _ = try await call(Self.adapter, "org.bluez.Adapter1", "StopDiscovery")
    }

    /// Connects, and lets itself be told of replies.
    func connect() async throws {
        _ = try await call(Self.ball, "org.bluez.Device1", "Connect")
        while let signal = await next() {
            if signal.path == Self.ball, try signal.changes["ServicesResolved"]?.bool == true {
                break
            }
        }
        let manager = "org.freedesktop.DBus.ObjectManager"
        for object in try await call(.root, manager, "GetManagedObjects").first?.entries ?? [] {
            let interfaces = object.value.entries ?? []
            let characteristic = interfaces.first {
                $0.key.string == "org.bluez.GattCharacteristic1"
            }
            guard let path = object.key.objectPath, path.isWithin(Self.ball),
                let uuid = characteristic?.value.properties?["UUID"]?.string
            else { continue }
            characteristics[uuid] = path
        }
        _ = try await call(Self.reply, "StartNotify")
    }

    func disconnect() async throws {
        _ = try await call(Self.ball, "org.bluez.Device1", "Disconnect")
    }

    /// Asks over the private pair.
    func ask(_ question: String, tag number: UInt64) async throws -> Outcome {
        let tag = withUnsafeBytes(of: number.bigEndian, Array.init)
        let options = Value.properties(["type": .string("request")])
        do {
            let privateQuestion = [1] + tag + Array(question.utf8)
            _ = try await call(
                Self.privateQuestion,
                "WriteValue",
                [.bytes(privateQuestion), options]
            )
        } catch is ErrorReply {
            return .refused
        }
        while let signal = await next() {
            guard signal.path == characteristics[Self.reply],
                try signal.changes["Value"]?.bytes == [1] + tag
            else { continue }
            let body = try await call(Self.reply, "ReadValue", [.properties([:])])
            let isAnswer = body.first?.bytes?.starts(with: [2] + tag + [0]) == true
            return isAnswer ? .answered : .lost
        }
        return .lost
    }

    private func next() async -> Message? {
        for await signal in signals { return signal }
        return nil
    }

    private func call(
        _ uuid: String,
        _ member: String,
        _ body: [Value] = []
    ) async throws -> [Value] {
        guard let path = characteristics[uuid] else {
            throw ErrorReply(.unknownObject, "the ball has no characteristic \(uuid)")
        }
        return try await call(path, "org.bluez.GattCharacteristic1", member, body)
    }

    private func call(
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ body: [Value] = []
    ) async throws -> [Value] {
        let message = try Message.methodCall(to: "org.bluez", at: path, interface, member, body)
        return try await connection.call(message).body()
    }
}

extension Message {
    /// What a `PropertiesChanged` tells; empty for another signal.
    fileprivate var changes: [String: Value] {
        get throws {
            guard member == "PropertiesChanged" else { return [:] }
            return try body().dropFirst().first?.properties ?? [:]
        }
    }
}
