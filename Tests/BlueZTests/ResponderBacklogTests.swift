import BLE
import BLEDBusTesting
import Testing

@testable import BLEDBus
@testable import BlueZ

@Suite("What waits for a responder", .timeLimit(.minutes(10)))
struct ResponderBacklogTests {
    /// So many calls, as they arrive.
    private func calls(_ count: Int) async throws -> [MethodCall] {
        let bus = try await PrivateBus.start()
        let server = try await Connection.open(BusAddress(bus.address))
        let client = try await Connection.open(BusAddress(bus.address))
        let (calls, arrived) = AsyncStream.makeStream(of: MethodCall.self)
        let interface = ExportedInterface("a.b", methods: [.init("C") { arrived.yield($0) }])
        try await server.export([interface], at: "/a")
        var call = try Message.methodCall(to: await server.uniqueName, at: "/a", "a.b", "C")
        // The bus counts calls that wait for a reply, and refuses some.
        call.expectsReply = false
        for _ in 0..<count { try await client.send(call) }
        var all: [MethodCall] = []
        for await call in calls {
            all.append(call)
            if all.count == count { break }
        }
        await client.close()
        await server.close()
        return all
    }

    @Test func `has room for 1024 calls`() async throws {
        let limit = ResponderBacklog.maximumCallCount
        let calls = try await calls(limit + 1)
        let backlog = ResponderBacklog()
        let later = Duration.seconds(60)
        for call in calls.dropLast() { #expect(backlog.add(call, of: World.ball, until: later)) }
        #expect(!backlog.add(calls[limit], of: World.ball, until: later))
        // The turn of one has come, but it has no reply.
        #expect(backlog.begin(calls[0]))
        #expect(!backlog.add(calls[limit], of: World.ball, until: later))
        backlog.end(calls[0])
        #expect(backlog.add(calls[limit], of: World.ball, until: later))
    }

    @Test func `hands nothing over that was refused meanwhile`() async throws {
        let calls = try await calls(3)
        let backlog = ResponderBacklog()
        let now = Duration.zero
        for (number, call) in calls.enumerated() {
            #expect(backlog.add(call, of: World.ball, until: now + .seconds(number)))
        }
        #expect(backlog.nextDeadline == now)
        let expired = backlog.expire(at: now + .seconds(1))
        #expect(expired.count == 2)
        #expect(backlog.begin(calls[0]) == false)
        for (call, _) in expired { backlog.end(call) }
        #expect(backlog.nextDeadline == now + .seconds(2))
        #expect(calls.dropFirst().map(backlog.begin) == [false, true])
        backlog.end(calls[2])
        #expect(backlog.nextDeadline == nil)
    }

    @Test func `has room of its own for 1024 events`() {
        let backlog = ResponderBacklog()
        let taken = (0...ResponderBacklog.maximumEventCount).map { _ in backlog.addEvent() }
        #expect(taken.count { $0 } == ResponderBacklog.maximumEventCount)
        #expect(taken.last == false)
        backlog.beginEvent()
        #expect(backlog.addEvent())
    }
}
