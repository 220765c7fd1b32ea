import BLEDBus
import BLEDBusTesting
import Testing

/// Calls that somebody sees before they are served, and a connection that leaves the bus alone.
@Suite("An intercepted connection", .timeLimit(.minutes(10)))
struct InterceptionTests {
    private let bus: PrivateBus
    private let server: Connection
    private let client: Connection
    private let service: EchoService

    init() async throws {
        bus = try await PrivateBus.start()
        server = try await .open(BusAddress(bus.address))
        client = try await .open(BusAddress(bus.address))
        service = try await EchoService(on: server)
    }

    @Test func `a call that is kept is served when it is handed back`() async throws {
        let (calls, continuation) = AsyncStream.makeStream(of: MethodCall.self)
        await server.interceptCalls { call in
            guard call.message.member == "Echo" else { return false }
            continuation.yield(call)
            return true
        }
        let call = try await service.call("Echo", [.bytes([7])])
        async let reply = client.call(call)
        var kept = calls.makeAsyncIterator()
        let first = try #require(await kept.next())
        // Others are served meanwhile.
        _ = try await client.call(service.call("Emit", [.uint32(0)]))
        await server.serve(first)
        let body = try await reply.body()
        #expect(body == [.bytes([7])])
        await server.interceptCalls(nil)
        #expect(try await client.call(call).body() == [.bytes([7])])
    }

    @Test func `sees calls of standard interfaces, too`() async throws {
        await server.interceptCalls { call in
            guard call.message.member == "GetManagedObjects" else { return false }
            call.fail(ErrorReply(.failed, "not now"))
            return true
        }
        let call = try Message.methodCall(
            to: await server.uniqueName,
            at: .root,
            "org.freedesktop.DBus.ObjectManager",
            "GetManagedObjects"
        )
        await #expect(throws: ErrorReply(.failed, "not now")) { try await client.call(call) }
    }

    @Test func `a reply that is redirected goes out when it is sent`() async throws {
        let (replies, continuation) = AsyncStream.makeStream(of: Message.self)
        await server.interceptCalls { [weak server] call in
            let redirected = call.redirectingReply { continuation.yield($0) }
            server?.assumeIsolated { $0.serve(redirected) }
            return true
        }
        async let reply = client.call(service.call("Echo", [.bytes([7])]))
        var held = replies.makeAsyncIterator()
        server.reply(try #require(await held.next()))
        let body = try await reply.body()
        #expect(body == [.bytes([7])])
    }

    @Test func `one that is suspended reads nothing, and then all in order`() async throws {
        await server.suspend()
        let call = try await service.call("Echo", [.bytes([1])])
        await #expect(throws: BusError.self) {
            try await client.call(call, timeLimit: .milliseconds(20))
        }
        let (numbers, continuation) = AsyncStream.makeStream(of: UInt8.self)
        for number in UInt8(2)..<50 {
            let call = try await service.call("Echo", [.bytes([number])])
            await client.perform { client in
                client.call(call) { result in
                    let value = try? result.get().body().first?.bytes?.first
                    continuation.yield(value ?? 0)
                }
            }
        }
        await server.resume()
        var replied: [UInt8] = []
        for await number in numbers.prefix(48) { replied.append(number) }
        #expect(replied == Array(2..<50))
    }

    @Test func `one that is suspended can be closed`() async throws {
        let message = try await service.call("Never")
        let lost = Task { try await client.call(message) }
        var held = service.held.makeAsyncIterator()
        let call = await held.next()
        await server.suspend()
        await server.close()
        await #expect(throws: ErrorReply.self) { try await lost.value }
        call?.reply()
    }
}
