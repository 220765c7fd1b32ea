import BLEDBus
import Testing
import VirtualBlueZ

@Suite("Sockets of an application", .timeLimit(.minutes(10)))
struct ApplicationSocketTests {
    private static let acquiring = [
        AppCharacteristic(
            name: "question",
            uuid: UUIDs.question,
            flags: ["write", "write-without-response"],
            acquired: ["WriteAcquired"]
        ),
        AppCharacteristic(
            name: "answer",
            uuid: UUIDs.answer,
            flags: ["read", "notify"],
            acquired: ["NotifyAcquired"]
        ),
    ]
    private static let writable = [
        AppCharacteristic(
            name: "question",
            uuid: UUIDs.question,
            flags: ["write"],
            acquired: ["WriteAcquired"]
        )
    ]

    private static let asker = "hci1/dev_00_AA_01_00_00_00"
    private static let other = "hci1/dev_00_AA_01_02_00_02"
    private static let otherBall: ObjectPath = "/org/bluez/hci2/dev_00_AA_01_01_00_01"

    private func write(
        _ text: String,
        type: String,
        by client: Client
    ) async throws {
        let path = client.world.release.question
        let body: [Value] = [.text(text), .options(type: type)]
        _ = try await client.call("WriteValue", on: path, .characteristic, body)
    }

    private func value(_ text: String, of path: ObjectPath) -> String {
        "\(TraceText.path(path)) GattCharacteristic1 Value=\(text)"
    }

    @Test func `take commands`() async throws {
        let world = try await World()
        let client = try await world.ballConnected(Self.acquiring)
        try await write("Into the socket", type: "command", by: client)
        try await client.upTo("call AcquireWrite \(Self.asker)")
        try await client.upToNow()
        #expect(await client.packet(0) == "Into the socket")
        // Once there is one, nothing is asked any more.
        try await write("again", type: "command", by: client)
        #expect(await client.packet(0) == "again")
        #expect(try await client.upToNow() == [])
    }

    @Test func `have no more waiting for them than they have room for`() async throws {
        let world = try await World()
        let client = try await world.ballConnected(Self.acquiring)
        await client.hold("AcquireWrite")
        for number in 1...300 { try await write("\(number)", type: "command", by: client) }
        await client.release()
        // Behind all that has waited, which is written over D-Bus as there is no socket.
        await client.begin("StartNotify", on: .answer, .characteristic)
        let trace = try await client.upTo("call AcquireNotify \(Self.asker)")
        #expect(trace.filter { $0.hasPrefix("call WriteValue ") }.count == 278)
    }

    @Test func `end with a daemon that is killed`() async throws {
        let world = try await World()
        let client = try await world.ballConnected(Self.writable)
        try await write("Is it so?", type: "request", by: client)
        #expect(await client.packet(0) == "Is it so?")
        let socket = try #require(await client.sockets.first)
        await world.daemon.kill()
        #expect(await client.hasEnded(socket))
    }

    @Test func `take requests, which succeed`() async throws {
        let world = try await World()
        let client = try await world.ballConnected(Self.writable)
        try await write("Is it so?", type: "request", by: client)
        #expect(await client.packet(0) == "Is it so?")
        #expect(
            try await client.upToNow() == ["call AcquireWrite \(Self.asker)"]
        )
    }

    @Test func `are asked for again when the application has closed them`() async throws {
        let world = try await World()
        let client = try await world.ballConnected(Self.writable)
        try await write("one", type: "request", by: client)
        await client.closeSocket(0)
        // What is sent before the daemon has noticed is lost.
        repeat {
            try await write("two", type: "request", by: client)
        } while await client.sockets.isEmpty
        #expect(await client.packet(0) == "two")
    }

    @Test func `are done without when the application has none`() async throws {
        let world = try await World()
        let client = try await world.ballConnected(Self.acquiring)
        await client.respond(to: "AcquireWrite", with: .error(ErrorReply(.unknownMethod)))
        await client.respond(to: "AcquireNotify", with: .error(ErrorReply(.unknownMethod)))
        try await write("over D-Bus", type: "command", by: client)
        try await client.upTo("call WriteValue over D-Bus")
        _ = try await client.call("StartNotify", on: .answer, .characteristic)
        try await client.upTo("call StartNotify")
        try await client.notify("by signal")
        try await client.upTo(value("by signal", of: world.release.answer))
    }

    /// Source: BlueZ, src/gatt-database.c, `acquire_write_reply`.
    @Test func `refuse a write that the application refuses to take in one`() async throws {
        let world = try await World()
        let client = try await world.ballConnected(Self.writable)
        await client.respond(to: "AcquireWrite", with: .error(refusal("Failed", "0x81")))
        await #expect(throws: refusal("Failed", "Operation failed with ATT error: 0x81")) {
            try await write("Is it so?", type: "request", by: client)
        }
        #expect(try await client.upToNow() == ["call AcquireWrite \(Self.asker)"])
    }

    /// Source: BlueZ, src/gatt-database.c, `acquire_notify_reply`.
    @Test func `that an application fails to make are not done without`() async throws {
        let world = try await World()
        let client = try await world.ballConnected(Self.acquiring)
        await client.respond(to: "AcquireNotify", with: .error(refusal("Failed", "no")))
        _ = try await client.call("StartNotify", on: .answer, .characteristic)
        let trace = try await client.upToNow()
        #expect(trace.contains("call AcquireNotify \(Self.asker)"))
        #expect(!trace.contains("call StartNotify"))
    }

    @Test func `notify beside signals, and end with the last who listens`() async throws {
        let world = try await World()
        let client = try await world.ballConnected(Self.acquiring)
        await client.begin("StartNotify", on: .answer, .characteristic)
        try await client.upTo("return StartNotify")
        let trace = await client.wholeTrace(from: "call AcquireNotify \(Self.asker)")
        #expect(!trace.contains("call StartNotify"))
        try await client.upToNow()
        try await client.notify("by signal")
        try await client.upTo(value("by signal", of: .answer))
        await client.send("from the app's socket", into: 0)
        try await client.upTo(value("from the app's socket", of: .answer))
        _ = try await client.call("StopNotify", on: .answer, .characteristic)
        #expect(await client.packet(0) == "")
        let rest = try await client.upToNow()
        #expect(!rest.contains("call StopNotify"))
    }

    // MARK: - Two centrals

    /// A ball that both hci0 and hci2 are subscribed to.
    private func listenedTo(by version: BlueZVersion) async throws -> (World, Client) {
        let world = try await World(adapters: 3, version: version)
        let client = try await world.ballConnected(Self.acquiring)
        let answer = world.release.answer
        _ = try await client.call("StartNotify", on: answer, .characteristic)
        try await client.find(from: "/org/bluez/hci2")
        await client.begin("Connect", on: Self.otherBall, .device)
        let modalias = "Modalias=\(world.release.modalias)"
        try await client.upTo("\(TraceText.path(Self.otherBall)) Device1 \(modalias)")
        let path = otherAnswer(world)
        _ = try await client.call("StartNotify", on: path, .characteristic)
        try await client.upToNow()
        return (world, client)
    }

    private func otherAnswer(_ world: World) -> ObjectPath {
        let below = world.release.answer.rawValue.dropFirst(ObjectPath.ball.rawValue.count)
        return below.split(separator: "/").reduce(Self.otherBall) { path, name in
            (try? path.appending(String(name))) ?? path
        }
    }

    @Test func `are one for all on 5.66`() async throws {
        let (world, client) = try await listenedTo(by: .v5_66)
        #expect(await client.sockets.count == 1)
        await client.send("to all", into: 0)
        #expect(
            try await client.upTo(value("to all", of: otherAnswer(world))) == [
                value("to all", of: world.release.answer), value("to all", of: otherAnswer(world)),
            ]
        )
        await world.daemon.simulateDisconnection(between: 0, and: 1)
        await client.send("to the rest", into: 0)
        let trace = try await client.upTo(value("to the rest", of: otherAnswer(world)))
        #expect(!trace.contains(value("to the rest", of: world.release.answer)))
    }

    @Test(arguments: [BlueZVersion.v5_82, .v5_87])
    func `are one for each central since 5.82`(version: BlueZVersion) async throws {
        let (world, client) = try await listenedTo(by: version)
        #expect(await client.sockets.count == 2)
        await client.send("to hci0", into: 0)
        try await client.upTo(value("to hci0", of: world.release.answer))
        await client.send("to hci2", into: 1)
        #expect(
            try await client.upTo(value("to hci2", of: otherAnswer(world)))
                == [value("to hci2", of: otherAnswer(world))]
        )
        // The end of one link ends the sockets of all; who is left is told by signals.
        await world.daemon.simulateDisconnection(between: 0, and: 1)
        for index in [0, 1] { #expect(await client.packet(index) == "") }
        try await client.upToNow()
        try await client.notify("to hci2 again")
        #expect(
            try await client.upTo(value("to hci2 again", of: otherAnswer(world)))
                == [value("to hci2 again", of: otherAnswer(world))]
        )
    }

    @Test func `end one by one when centrals unsubscribe`() async throws {
        let (world, client) = try await listenedTo(by: .v5_82)
        _ = try await client.call("StopNotify", on: world.release.answer, .characteristic)
        #expect(await client.packet(0) == "")
        await client.send("to hci2", into: 1)
        try await client.upTo(value("to hci2", of: otherAnswer(world)))
    }

    @Test func `end with the registration`() async throws {
        let (_, client) = try await listenedTo(by: .v5_82)
        let body: [Value] = [.objectPath("/ball")]
        _ = try await client.call("UnregisterApplication", on: .hci1, .gattManager, body)
        #expect(await client.packet(0) == "")
        #expect(await client.packet(1) == "")
    }
}
