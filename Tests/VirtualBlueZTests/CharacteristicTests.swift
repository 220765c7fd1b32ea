import BLEDBus
import Testing
import VirtualBlueZ

/// What a central may do with a characteristic, and how much of it.
@Suite("A characteristic", .timeLimit(.minutes(10)))
struct CharacteristicTests {
    private static let only: ObjectPath = .question

    /// One whose descriptor can be written.
    private static let described = [
        AppCharacteristic(
            name: "only",
            uuid: UUIDs.question,
            flags: ["read"],
            descriptorFlags: ["read", "write"]
        )
    ]

    @Test func `refuses what it has no flag for`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        let write: [Value] = [.text("Why?"), .options(type: "request")]
        await #expect(throws: refusal("NotPermitted", "Write not permitted")) {
            _ = try await client.call("WriteValue", on: .answer, .characteristic, write)
        }
        await #expect(throws: refusal("NotPermitted", "Read not permitted")) {
            _ = try await client.call("ReadValue", on: .question, .characteristic, [.noOptions])
        }
        let unsupported = refusal("NotSupported", "Operation is not supported")
        await #expect(throws: unsupported) {
            _ = try await client.call("StartNotify", on: .question, .characteristic)
        }
        await #expect(throws: unsupported) {
            let body: [Value] = [.text("Why?"), .options(type: "nonsense")]
            _ = try await client.call("WriteValue", on: .question, .characteristic, body)
        }
        await #expect(throws: unsupported) {
            let body: [Value] = [.text("Why?"), .noOptions]
            _ = try await client.call("WriteValue", on: .answer, .characteristic, body)
        }
    }

    @Test(arguments: [("reliable-write", 1), ("writable-auxiliaries", 2)] as [(String, UInt8)])
    func `tells extended properties in a descriptor of the daemon's`(
        flag: String,
        bits: UInt8
    ) async throws {
        let world = try await World()
        let client = try await world.ballConnected(.one("read", "notify", flag))
        #expect(
            try await client.property("Flags", of: .characteristic, at: Self.only)
                == .strings(["read", "notify", "extended-properties", flag])
        )
        // Behind the client configuration.
        let path = try Self.only.appending("desc0019")
        #expect(
            try await client.property("UUID", of: .descriptor, at: path)
                == .string("00002900-0000-1000-8000-00805f9b34fb")
        )
        let value = try await client.call("ReadValue", on: path, .descriptor, [.noOptions])
        #expect(value == [.bytes([bits, 0])])
        await #expect(throws: refusal("NotPermitted", "Write not permitted")) {
            let body: [Value] = [.bytes([0, 0]), .noOptions]
            _ = try await client.call("WriteValue", on: path, .descriptor, body)
        }
    }

    /// A negative one, and one that no sum may have; a real one takes a `q` alone.
    @Test(arguments: [.int16(-1), .int64(.max), .uint32(0), .string("1")] as [Value])
    func `refuses an offset of another type`(offset: Value) async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        let options = Value.properties(["offset": offset])
        let refusal = refusal("InvalidArguments", "Invalid arguments in method call")
        await #expect(throws: refusal) {
            _ = try await client.call("ReadValue", on: .answer, .characteristic, [options])
        }
        await #expect(throws: refusal) {
            let body: [Value] = [.text("Why?"), options]
            _ = try await client.call("WriteValue", on: .question, .characteristic, body)
        }
    }

    /// Whether the central hears of a refusal; the application hears of every write.
    @Test(
        arguments: [
            (["write"], nil, true), (["write"], "request", true), (["write"], "command", false),
            (["write"], "reliable", true),
            (["write-without-response"], nil, false),
            (["write-without-response"], "request", false),
            (["write-without-response"], "command", false),
            (["write-without-response"], "reliable", false),
            (["write", "write-without-response"], nil, false),
            (["write", "write-without-response"], "request", false),
            (["write", "write-without-response"], "command", false),
            (["write", "write-without-response"], "reliable", false),
        ] as [([String], String?, Bool)]
    )
    func `refuses or not by its flags and the write's type`(
        flags: [String],
        type: String?,
        isRefused: Bool
    ) async throws {
        let world = try await World()
        let client = try await world.ballConnected([
            AppCharacteristic(name: "only", uuid: UUIDs.question, flags: flags)
        ])
        await client.respond(to: "WriteValue", with: .error(refusal("Failed", "0x80")))
        let options = type.map { Value.options(type: $0) } ?? .noOptions
        let body: [Value] = [.text("Why?"), options]
        await client.begin("WriteValue", on: Self.only, .characteristic, body)
        try await client.upTo("call WriteValue Why?")
        _ = try await client.upToNow()
        let trace = await client.wholeTrace(from: "call WriteValue Why?")
        let refused = "error WriteValue Failed Operation failed with ATT error: 0x80"
        #expect(trace.contains(refused) == isRefused)
    }

    @Test(arguments: [(1, true), (510, true), (511, false), (512, false)])
    func `takes requests of 510 bytes`(count: Int, arrives: Bool) async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        let body: [Value] = [.bytes(Array(repeating: 0x61, count: count)), .noOptions]
        await client.begin("WriteValue", on: .question, .characteristic, body)
        let call = "call WriteValue " + String(repeating: "a", count: count)
        let refused = "error WriteValue InvalidArguments Invalid Length"
        let expected = arrives ? [call, "return WriteValue"] : [refused]
        #expect(try await client.upTo(expected[expected.count - 1]) == expected)
    }

    @Test(
        arguments: [
            (510, true, true), (511, false, true), (514, false, true), (515, false, false),
        ]
    )
    func `takes commands of 510 bytes, and loses some that are longer`(
        count: Int,
        arrives: Bool,
        succeeds: Bool
    ) async throws {
        let world = try await World()
        let client = try await world.ballConnected(.one("write-without-response"))
        let body: [Value] = [.bytes(Array(repeating: 0x61, count: count)), .noOptions]
        await client.begin("WriteValue", on: Self.only, .characteristic, body)
        let trace = try await client.upToNow()
        let reply =
            succeeds ? "return WriteValue" : "error WriteValue Failed Failed to initiate write"
        let call = "call WriteValue " + String(repeating: "a", count: count)
        #expect(trace == (arrives ? [reply, call] : [reply]))
    }

    @Test func `cuts what is read and notified to 512 bytes`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        let long = String(repeating: "a", count: 600)
        await client.respond(to: "ReadValue", with: .values([.text(long)]))
        let read = try await client.call("ReadValue", on: .answer, .characteristic, [.noOptions])
        #expect(read.first?.bytes?.count == 512)
        _ = try await client.call("StartNotify", on: .answer, .characteristic)
        try await client.notify(String(repeating: "b", count: 600))
        let cut = String(repeating: "b", count: 512)
        try await client.upTo("\(TraceText.path(.answer)) GattCharacteristic1 Value=\(cut)")
    }

    /// Source: BlueZ, src/gatt-database.c, `chrc_write_cb`.
    @Test(arguments: [["write"], ["write", "write-without-response"]])
    func `tells its application where in the value a write begins`(flags: [String]) async throws {
        let world = try await World()
        let client = try await world.ballConnected([
            AppCharacteristic(name: "only", uuid: UUIDs.question, flags: flags)
        ])
        let offsets = await client.offsets(of: "WriteValue")
        let options = Value.properties(["type": .string("request"), "offset": .uint16(4)])
        let body: [Value] = [.text("Why?"), options]
        _ = try await client.call("WriteValue", on: Self.only, .characteristic, body)
        for await offset in offsets {
            #expect(offset == 4)
            break
        }
    }

    @Test func `has one write at a time`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        await client.respond(to: "WriteValue", with: .hold)
        let body: [Value] = [.text("First?"), .noOptions]
        await client.begin("WriteValue", on: .question, .characteristic, body)
        try await client.upTo("call WriteValue First?")
        await #expect(throws: refusal("InProgress", "In Progress")) {
            _ = try await client.call("WriteValue", on: .question, .characteristic, body)
        }
        // Another characteristic goes on meanwhile.
        _ = try await client.call("ReadValue", on: .answer, .characteristic, [.noOptions])
        await client.release()
        try await client.upTo("return WriteValue")
    }

    @Test func `that wants encryption costs the link`() async throws {
        let world = try await World()
        let client = try await world.ballConnected(.one("encrypt-read"))
        let device = TraceText.path(.ball)
        await client.begin("ReadValue", on: Self.only, .characteristic, [.noOptions])
        let error = "error ReadValue Failed Operation failed with ATT error: 0x0e"
        #expect(
            try await client.upTo(error) == [
                "\(device) Device1 Connected=false ServicesResolved=false",
                "\(TraceText.path(.asker)) Device1 Connected=false ServicesResolved=false", error,
            ]
        )
    }

    @Test func `shows who is subscribed in its descriptor`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        let path = try ObjectPath.answer.appending("desc001a")
        var read = try await client.call("ReadValue", on: path, .descriptor, [.noOptions])
        #expect(read.first?.bytes == [0, 0])
        _ = try await client.call("StartNotify", on: .answer, .characteristic)
        read = try await client.call("ReadValue", on: path, .descriptor, [.noOptions])
        #expect(read.first?.bytes == [1, 0])
        await #expect(throws: refusal("NotPermitted", "Write not permitted")) {
            let body: [Value] = [.bytes([1, 0]), .noOptions]
            _ = try await client.call("WriteValue", on: path, .descriptor, body)
        }
    }

    /// Source: BlueZ, src/gatt-client.c, `descriptor_read_value` and `descriptor_write_value`.
    @Test func `has descriptors that are read and written from anywhere`() async throws {
        let world = try await World()
        let client = try await world.ballConnected(Self.described)
        let path = try Self.only.appending("desc0018")
        let offset = Value.properties(["offset": .uint16(4)])
        let calls: [(member: String, body: [Value])] = [
            ("ReadValue", [offset]), ("WriteValue", [.text("Why?"), offset]),
        ]
        for (member, body) in calls {
            let offsets = await client.offsets(of: member)
            _ = try await client.call(member, on: path, .descriptor, body)
            for await offset in offsets {
                #expect(offset == 4)
                break
            }
            let wrong = Array(body.dropLast()) + [Value.properties(["offset": .int16(4)])]
            let refusal = refusal("InvalidArguments", "Invalid arguments in method call")
            await #expect(throws: refusal) {
                _ = try await client.call(member, on: path, .descriptor, wrong)
            }
        }
    }

    /// As a characteristic: all requests take the same way.
    @Test(arguments: [(510, true), (511, false)])
    func `has descriptors that take requests of 510 bytes`(count: Int, arrives: Bool) async throws {
        let world = try await World()
        let client = try await world.ballConnected(Self.described)
        let path = try Self.only.appending("desc0018")
        let body: [Value] = [.bytes(Array(repeating: 0x61, count: count)), .noOptions]
        await client.begin("WriteValue", on: path, .descriptor, body)
        let call = "call WriteValue " + String(repeating: "a", count: count)
        let refused = "error WriteValue InvalidArguments Invalid Length"
        let expected = arrives ? [call, "return WriteValue"] : [refused]
        #expect(try await client.upTo(expected[expected.count - 1]) == expected)
    }

    @Test func `has an MTU while there is a link`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        #expect(
            try await client.property("MTU", of: .characteristic, at: .answer) == .uint16(517)
        )
        await world.daemon.simulateDisconnection(between: 0, and: 1)
        await #expect(throws: ErrorReply.self) {
            _ = try await client.property("MTU", of: .characteristic, at: .answer)
        }
        try await client.upToNow()
        await client.begin("Connect", on: .ball, .device)
        try await client.upTo("return Connect")
        #expect(
            try await client.property("MTU", of: .characteristic, at: .answer) == .uint16(517)
        )
    }
}
