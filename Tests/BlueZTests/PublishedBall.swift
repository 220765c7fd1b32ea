import BLE
import BLEDBus
import Testing

@testable import BlueZ

/// A published ball whose responder a test decides, and where bluetoothd finds it.
struct PublishedBall {
    static let central: ObjectPath = "/org/bluez/hci0/dev_00_AA_01_01_00_01"
    private static let options: [String: Value] = [
        "device": .objectPath(central), "link": .string("LE"), "mtu": .uint16(100),
    ]

    let world: World
    let adapter: Adapter
    let publication: any Publication
    let responder = ScriptedResponder()
    let sender: String
    let question: ObjectPath
    let answer: ObjectPath

    init(question properties: CharacteristicProperties = .write) async throws {
        world = try await World()
        adapter = try await world.open()
        var calls = await world.daemon.hold("RegisterApplication").makeAsyncIterator()
        let task = Task { [adapter, responder] in
            try await adapter.publish(question: properties, responder: responder)
        }
        let call = try #require(await calls.next())
        let root = try #require(try call.message.body().first?.objectPath)
        call.reply()
        sender = call.sender
        publication = try await task.value
        question = try root.appending("service0").appending("char0")
        answer = try root.appending("service0").appending("char1")
    }

    func call(
        _ path: ObjectPath,
        _ member: String,
        _ body: [Value] = []
    ) async throws -> [Value] {
        try await world.daemon.call(path, of: sender, member, body)
    }

    func read(_ more: [String: Value] = [:]) async throws -> [UInt8]? {
        let options = Self.options.merging(more) { $1 }
        return try await call(answer, "ReadValue", [.properties(options)]).first?.bytes
    }

    func write(_ value: [UInt8]) async throws {
        let options = Value.properties(Self.options)
        _ = try await call(question, "WriteValue", [.bytes(value), options])
    }
}
