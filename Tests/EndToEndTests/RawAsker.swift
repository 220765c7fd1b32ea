import BLEDBus

/// An asker over plain D-Bus, bytes in and out: nothing of the SDK is in it.
final class RawAsker: Sendable {
    /// What came of a question.
    enum Outcome: Equatable, CustomStringConvertible {
        /// The code with which the write was refused.
        case refused(UInt8)
        /// Status and text, as they were read or told.
        case told(status: UInt8, text: String)
        /// The link ended before, or something else was read.
        case lost

        var description: String {
            switch self {
            case .refused(let code): "refused 0x\(String(code, radix: 16))"
            case .told(0, let text): "'\(text)'"
            case .told(let status, let text): "0x\(String(status, radix: 16)) '\(text)'"
            case .lost: "lost"
            }
        }
    }

    static let question = "bdd37d7a-f66a-47b9-a49c-fe29fd235a77"
    static let answer = "349a0d7b-6215-4e2c-a095-af078d737445"
    static let privateQuestion = "544dcf2d-80b8-443d-8ecf-24148a54e30c"
    static let reply = "81d7c03f-cd6c-42e3-a494-a1800cfa129d"

    private let bus: AskersBus
    private let events: AsyncStream<AskersBus.Event>
    private let device: ObjectPath
    private let characteristics: [String: ObjectPath]

    /// Connects an adapter to the ball on another, once it is heard and its services are known.
    init(_ name: String, ball: Int = 0, on bus: AskersBus) async throws {
        self.bus = bus
        let adapter = try ObjectPath("/org/bluez/\(name)")
        let device = try adapter.appending("dev_00_AA_01_0\(ball)_00_0\(ball)")
        self.device = device
        events = bus.events(of: name)
        var events = events.makeAsyncIterator()
        _ = try await bus.call(adapter, "Adapter1", "StartDiscovery")
        hearing: while let event = await events.next() {
            if case .added(device, _) = event { break hearing }
        }
        _ = try await bus.call(adapter, "Adapter1", "StopDiscovery")
        _ = try await bus.call(device, "Device1", "Connect")
        var characteristics: [String: ObjectPath] = [:]
        resolving: while let event = await events.next() {
            switch event {
            case .added(let path, let uuid?): characteristics[uuid] = path
            case .changed(device, let changed) where changed["ServicesResolved"]?.bool == true:
                break resolving
            case .added, .changed: break
            }
        }
        self.characteristics = characteristics
    }

    /// Ends the link.
    func leave() async throws {
        _ = try await bus.call(device, "Device1", "Disconnect")
    }

    /// The next value that is told, or was read here; `nil` when the link ended.
    func told() async -> (uuid: String, value: [UInt8])? {
        var events = events.makeAsyncIterator()
        while let event = await events.next() {
            guard case .changed(let path, let changed) = event else { continue }
            if path == device, changed["Connected"]?.bool == false { return nil }
            guard let value = changed["Value"]?.bytes,
                let uuid = characteristics.first(where: { $0.value == path })?.key
            else { continue }
            return (uuid, value)
        }
        return nil
    }

    /// The next value of one characteristic.
    private func next(_ uuid: String) async -> [UInt8]? {
        while let told = await told() {
            if told.uuid == uuid { return told.value }
        }
        return nil
    }

    func subscribe(to uuid: String) async throws {
        _ = try await call(uuid, "StartNotify")
    }

    func read(_ uuid: String) async throws -> [UInt8] {
        try await call(uuid, "ReadValue", [.properties([:])]).first?.bytes ?? []
    }

    /// Writes; returns the code of a refusal.
    func write(_ value: [UInt8], to uuid: String) async throws -> UInt8? {
        do {
            let options: [String: Value] = ["type": .string("request")]
            _ = try await call(uuid, "WriteValue", [.bytes(value), .properties(options)])
            return nil
        } catch let error as ErrorReply {
            // "Operation failed with ATT error: 0x90 (…)"
            guard let digits = error.text.split(separator: "0x").last?.prefix(2),
                error.text.contains("ATT error: 0x"), let code = UInt8(digits, radix: 16)
            else { throw error }
            return code
        }
    }

    private func call(_ uuid: String, _ member: String, _ body: [Value] = []) async throws
        -> [Value]
    {
        guard let path = characteristics[uuid] else {
            throw ErrorReply(.unknownObject, "the ball has no characteristic \(uuid)")
        }
        return try await bus.call(path, "GattCharacteristic1", member, body)
    }
}

// MARK: - Questions

extension RawAsker {
    /// Asks over the private pair; one that has subscribed to Reply.
    ///
    /// `willAskAgain` decides whether a refused question is asked again, as soon as the ball has told
    /// anybody of a reply.
    func askPrivately(
        _ question: String,
        tag number: UInt64,
        willAskAgain: @Sendable (UInt8) async -> Bool = { _ in false }
    ) async throws -> Outcome {
        let tag = withUnsafeBytes(of: number.bigEndian, Array.init)
        while let code = try await write([1] + tag + Array(question.utf8), to: Self.privateQuestion)
        {
            guard await willAskAgain(code) else { return .refused(code) }
            guard await next(Self.reply) != nil else { return .lost }
        }
        while let value = await next(Self.reply) {
            guard value == [1] + tag else { continue }
            let reply = try await read(Self.reply)
            guard reply.count >= 10, reply[0] == 2, Array(reply[1...8]) == tag else { return .lost }
            return .told(status: reply[9], text: String(decoding: reply[10...], as: UTF8.self))
        }
        return .lost
    }

    /// Asks as an original asker does; one that has subscribed to Answer.
    func ask(_ question: String) async throws -> Outcome {
        if let code = try await write(Array(question.utf8), to: Self.question) {
            return .refused(code)
        }
        guard let value = await next(Self.answer) else { return .lost }
        return .told(status: 0, text: String(decoding: value, as: UTF8.self))
    }
}
