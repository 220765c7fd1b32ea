import BLEDBus
import Glibc
import Testing
import VirtualBlueZ

@Suite("Sockets of a characteristic", .timeLimit(.minutes(10)))
struct SocketTests {
    private static let fast = "\(TraceText.path(.question)) GattCharacteristic1"
    private static let answer = "\(TraceText.path(.answer)) GattCharacteristic1"

    private func acquire(
        _ member: String,
        _ path: ObjectPath,
        by client: Client
    ) async throws -> FileDescriptor {
        let body = try await client.call(member, on: path, .characteristic, [.noOptions])
        #expect(body.last == .uint16(517))
        return try #require(body.first?.descriptor)
    }

    @Test func `write commands, each packet one, and no longer ones`() async throws {
        let world = try await World()
        let client = try await world.ballConnected(.one("write-without-response"))
        var socket: FileDescriptor? = try await acquire("AcquireWrite", .question, by: client)
        for count in [1, 511, 514, 510] {
            let packet = [UInt8](repeating: 0x61, count: count)
            #expect(send(socket?.rawValue ?? -1, packet, count, 0) == count)
        }
        let last = "call WriteValue " + String(repeating: "a", count: 510)
        #expect(
            try await client.upTo(last) == [
                "\(Self.fast) WriteAcquired=true", "call WriteValue a", last,
            ]
        )
        let acquired = refusal("NotPermitted", "Write acquired")
        await #expect(throws: acquired) {
            let body: [Value] = [.text("Why?"), .options(type: "command")]
            _ = try await client.call("WriteValue", on: .question, .characteristic, body)
        }
        await #expect(throws: acquired) {
            _ = try await client.call("AcquireWrite", on: .question, .characteristic, [.noOptions])
        }
        socket = nil
        try await client.upTo("\(Self.fast) WriteAcquired=false")
    }

    @Test func `carry notifications instead of signals`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        var socket: FileDescriptor? = try await acquire("AcquireNotify", .answer, by: client)
        try await client.notify("over the socket")
        let packet = try await client.packet(from: #require(socket))
        #expect(packet == Array("over the socket".utf8))
        let acquired = refusal("NotPermitted", "Notify acquired")
        for member in ["StartNotify", "AcquireNotify"] {
            await #expect(throws: acquired) {
                let body: [Value] = member == "StartNotify" ? [] : [.noOptions]
                _ = try await client.call(member, on: .answer, .characteristic, body)
            }
        }
        socket = nil
        #expect(
            try await client.upTo("call StopNotify") == [
                "call StartNotify", "\(Self.answer) NotifyAcquired=true",
                "\(Self.answer) NotifyAcquired=false", "call StopNotify",
            ]
        )
    }

    @Test func `kill the daemon when they are closed after their client has left`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        let other = try await world.client()
        var socket: FileDescriptor? = try await acquire("AcquireNotify", .answer, by: other)
        try await client.upToNow()
        await other.die()
        try await client.upTo("call StopNotify")
        #expect(socket != nil)
        #expect(await world.daemon.isRunning)
        socket = nil
        while await world.daemon.isRunning { await Task.yield() }
    }

    @Test func `end with the link`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        let socket = try await acquire("AcquireNotify", .answer, by: client)
        await world.daemon.simulateDisconnection(between: 0, and: 1)
        #expect(await client.packet(from: socket) == [])
        try await client.upTo("\(Self.answer) NotifyAcquired=false")
    }

    @Test func `end with a daemon that is killed`() async throws {
        let world = try await World()
        let client = try await world.ballConnected(.one("write-without-response", "notify"))
        let written = try await acquire("AcquireWrite", .question, by: client)
        let notified = try await acquire("AcquireNotify", .question, by: client)
        await world.daemon.kill()
        #expect(await client.hasEnded(written))
        #expect(await client.hasEnded(notified))
    }

    @Test func `are refused without the flag, or beside a subscription`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        let unsupported = refusal("NotSupported", "Operation is not supported")
        await #expect(throws: unsupported) {
            _ = try await client.call("AcquireWrite", on: .question, .characteristic, [.noOptions])
        }
        await #expect(throws: unsupported) {
            _ = try await client.call("AcquireNotify", on: .question, .characteristic, [.noOptions])
        }
        _ = try await client.call("StartNotify", on: .answer, .characteristic)
        await #expect(throws: refusal("InProgress", "In Progress")) {
            _ = try await client.call("AcquireNotify", on: .answer, .characteristic, [.noOptions])
        }
    }
}
