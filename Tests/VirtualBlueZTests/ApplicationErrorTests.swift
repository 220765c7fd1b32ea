import BLEDBus
import Testing
import VirtualBlueZ

/// What becomes of an application's error on its way to the central; each was seen of a real daemon.
@Suite("An application's errors", .timeLimit(.minutes(10)))
struct ApplicationErrorTests {
    private static let unlikely = att("0x0e")

    private static func att(_ code: String) -> ErrorReply {
        refusal("Failed", "Operation failed with ATT error: \(code)")
    }

    private static let table: [(ErrorReply, ErrorReply)] = [
        (refusal("Failed", "0x80"), att("0x80")),
        (refusal("Failed", "0x81"), att("0x81")),
        (refusal("Failed", "0x9f"), att("0x9f")),
        (refusal("Failed", "128"), att("0x80")),
        (refusal("Failed", "no"), att("0x80")),
        (refusal("Failed", "0x90 and more"), att("0x80")),
        (refusal("Failed", ""), unlikely),
        (refusal("Failed", "0x7f"), unlikely),
        (refusal("Failed", "0xa0"), unlikely),
        (refusal("Failed", "0xfd"), unlikely),
        (refusal("NotAuthorized", ""), refusal("NotAuthorized", "Operation Not Authorized")),
        (refusal("NotSupported", ""), refusal("NotSupported", "Operation is not supported")),
        (refusal("InvalidValueLength", ""), refusal("InvalidArguments", "Invalid Length")),
        (refusal("InvalidOffset", ""), refusal("InvalidArguments", "Invalid offset")),
        (refusal("InProgress", ""), att("0xfe")),
        (refusal("InvalidArguments", ""), unlikely),
        (refusal("NotAvailable", ""), unlikely),
        (refusal("DoesNotExist", ""), unlikely),
        (ErrorReply(.unknownMethod), unlikely),
        (ErrorReply(ErrorName(rawValue: "org.example.Error.OfOurOwn"), "0x80"), unlikely),
    ]

    @Test func `a write fails with what the table says`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        let table =
            Self.table + [
                (refusal("NotPermitted", ""), refusal("NotPermitted", "Write not permitted"))
            ]
        for (error, result) in table {
            await client.respond(to: "WriteValue", with: .error(error))
            await #expect(throws: result, "\(error)") {
                let body: [Value] = [.text("Why?"), .noOptions]
                _ = try await client.call("WriteValue", on: .question, .characteristic, body)
            }
        }
    }

    /// Source: BlueZ, src/gatt-database.c, `dbus_error_to_att_ecode`.
    @Test(arguments: [
        ("0X81", "0x81"), ("0201", "0x81"), (" +0x82", "0x82"), ("0x", "0x80"), ("-1", "0x0e"),
    ])
    func `a code is read as strtol reads it`(text: String, code: String) async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        await client.respond(to: "ReadValue", with: .error(refusal("Failed", text)))
        await #expect(throws: Self.att(code)) {
            _ = try await client.call("ReadValue", on: .answer, .characteristic, [.noOptions])
        }
    }

    @Test func `a read fails with what the table says`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        let table =
            Self.table + [
                (refusal("NotPermitted", ""), refusal("NotPermitted", "Read not permitted"))
            ]
        for (error, result) in table {
            await client.respond(to: "ReadValue", with: .error(error))
            await #expect(throws: result, "\(error)") {
                _ = try await client.call("ReadValue", on: .answer, .characteristic, [.noOptions])
            }
        }
    }

    /// Source: BlueZ, src/gatt-database.c, `read_reply_cb`.
    @Test(arguments: [[], [.string("Yes")], [.variant(.bytes([1]))]] as [[Value]])
    func `a reply to a read that is no value is not supported`(reply: [Value]) async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        await client.respond(to: "ReadValue", with: .values(reply))
        await #expect(throws: refusal("NotSupported", "Operation is not supported")) {
            _ = try await client.call("ReadValue", on: .answer, .characteristic, [.noOptions])
        }
    }

    @Test func `an error of StartNotify changes nothing`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        await client.respond(to: "StartNotify", with: .error(refusal("Failed", "0x80")))
        _ = try await client.call("StartNotify", on: .answer, .characteristic)
        #expect(
            try await client.property("Notifying", of: .characteristic, at: .answer)
                == .bool(true)
        )
    }

    @Test(arguments: ["WriteValue", "ReadValue"])
    func `a handler has five seconds`(member: String) async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        await client.respond(to: member, with: .hold)
        let body: [Value] = member == "ReadValue" ? [.noOptions] : [.text("6 s?"), .noOptions]
        let path: ObjectPath = member == "ReadValue" ? .answer : .question
        await client.begin(member, on: path, .characteristic, body)
        try await client.upToNow()
        world.clock.advance(by: .milliseconds(4999))
        #expect(try await client.upToNow() == [])
        world.clock.advance(by: .milliseconds(1))
        try await client.upTo("error \(member) Failed Operation failed with ATT error: 0x0e")
        await client.release()
        #expect(try await client.upToNow() == [])
        #expect(try await client.property("Connected", of: .device, at: .ball) == .bool(true))
    }
}
