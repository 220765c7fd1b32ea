import BLEDBus
import BLEDBusTesting
import BLELocking
import Testing

@Suite("A connection", .timeLimit(.minutes(10)))
struct ConnectionTests {
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

    @Test func `calls a method and gets its reply`() async throws {
        let reply = try await client.call(service.call("Echo", [.bytes([1, 2, 3])]))
        #expect(try reply.body() == [.bytes([1, 2, 3])])
        #expect(reply.sender == (await server.uniqueName))
    }

    @Test func `keeps 200 calls in flight apart`() async throws {
        try await withThrowingTaskGroup { group in
            for number in 0..<UInt8(200) {
                group.addTask {
                    let call = try await service.call("Echo", [.bytes([number])])
                    return try await client.call(call).body() == [.bytes([number])]
                }
            }
            for try await isOwn in group { #expect(isOwn) }
        }
    }

    @Test func `ends a call whose time is over`() async throws {
        await #expect {
            try await client.call(service.call("Never"), timeLimit: .milliseconds(5))
        } throws: {
            let error = $0 as? BusError
            return error?.code == .timedOut && error?.message.contains("Never on /test") == true
        }
    }

    /// Calls whose time is over, without any reply.
    private func expire(_ member: String, _ body: [Value] = [], count: Int) async throws {
        let call = try await service.call(member, body)
        try await withThrowingTaskGroup { group in
            for _ in 0..<count {
                group.addTask {
                    await #expect {
                        try await client.call(call, timeLimit: .milliseconds(1))
                    } throws: {
                        ($0 as? BusError)?.code == .timedOut
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `is lost when a peer replies, and never to those that take nearly all places`()
        async throws
    {
        let (told, continuation) = AsyncStream.makeStream(of: BusError.self)
        await client.onDisconnect { continuation.yield($0) }
        let echo = try await service.call("Echo", [.bytes([])])
        try await expire("Never", count: 94)
        _ = try await client.call(echo)
        _ = try await client.call(echo)
        try await expire("Never", count: 1)
        _ = try await client.call(echo)
        var iterator = told.makeAsyncIterator()
        let error = await iterator.next()
        #expect(error?.code == .disconnected)
        #expect(error?.message.contains("95 calls were never replied to") == true)
        await #expect { try await client.call(echo) } throws: {
            ($0 as? BusError)?.code == .disconnected
        }
    }

    @Test func `is lost as well when the calls that a peer never replies to were cancelled`()
        async throws
    {
        let never = try await service.call("Never")
        let limit = Duration.milliseconds(100)
        var held = service.held.makeAsyncIterator()
        var unanswered: [MethodCall?] = []
        for _ in 0..<95 {
            let call = Task { try await client.call(never, timeLimit: limit) }
            unanswered.append(await held.next())
            call.cancel()
            _ = await call.result
        }
        // The time of a later call is over later.
        await #expect(throws: BusError.self) { try await client.call(never, timeLimit: limit) }
        let echo = try await service.call("Echo", [.bytes([])])
        _ = try await client.call(echo)
        await #expect { try await client.call(echo) } throws: {
            ($0 as? BusError)?.code == .disconnected
        }
        withExtendedLifetime(unanswered) {}
    }

    @Test func `stays when a peer has only hung`() async throws {
        await server.suspend()
        try await expire("Echo", [.bytes([1])], count: 98)
        await server.resume()
        let echo = try await service.call("Echo", [.bytes([2])])
        for _ in 0..<100 { _ = try await client.call(echo) }
    }

    @Test func `ends a call whose task is cancelled, before and after it is sent`() async throws {
        let call = try await service.call("Never")
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await client.call(call)
        }
        await #expect(throws: CancellationError.self) { try await early.value }
        let late = Task { try await client.call(call) }
        var held = service.held.makeAsyncIterator()
        let heldCall = await held.next()
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
        // The reply that nobody waits for any more does no harm.
        heldCall?.reply()
        _ = try await client.call(service.call("Echo", [.bytes([])]))
    }

    @Test func `ends all calls when the bus dies, and those after`() async throws {
        let (told, continuation) = AsyncStream.makeStream(of: BusError.self)
        await client.onDisconnect { continuation.yield($0) }
        let call = try await service.call("Never")
        let lost = Task { try await client.call(call) }
        var held = service.held.makeAsyncIterator()
        let heldCall = await held.next()
        defer { heldCall?.reply() }
        bus.stop()
        await #expect { try await lost.value } throws: {
            ($0 as? BusError)?.code == .disconnected
        }
        await #expect { try await client.call(call) } throws: {
            ($0 as? BusError)?.code == .disconnected
        }
        var iterator = told.makeAsyncIterator()
        #expect(await iterator.next()?.code == .disconnected)
    }

    @Test func `ends all calls when it is closed`() async throws {
        let call = try await service.call("Never")
        let lost = Task { try await client.call(call) }
        var held = service.held.makeAsyncIterator()
        let heldCall = await held.next()
        defer { heldCall?.reply() }
        await client.close()
        await client.close()
        await #expect { try await lost.value } throws: {
            ($0 as? BusError)?.code == .disconnected
        }
    }

    @Test func `gets an error for a call that was dropped`() async throws {
        await #expect { try await client.call(service.call("Drop")) } throws: {
            ($0 as? ErrorReply)?.name == .noReply
        }
    }

    @Test func `handles a reply before the signals behind it`() async throws {
        let order = Locked<[Int]>([])
        let (done, continuation) = AsyncStream.makeStream(of: Void.self)
        try await client.subscribe(to: MatchRule(interface: EchoService.interface)) { signal in
            let number = (try? signal.body().first?.integer) ?? -1
            order.withLock { $0.append(number) }
            if number == 19 { continuation.finish() }
        }
        let call = try await service.call("Emit", [.uint32(20)])
        await client.perform { client in
            client.call(call) { _ in order.withLock { $0.append(-1) } }
        }
        for await _ in done {}
        #expect(order.withLock { $0 } == Array(-1..<20))
    }

    @Test func `hands over no signal after it has unsubscribed`() async throws {
        let count = Locked(0)
        let rule = MatchRule(interface: EchoService.interface)
        let id = try await client.subscribe(to: rule) { _ in count.withLock { $0 += 1 } }
        _ = try await client.call(service.call("Emit", [.uint32(1)]))
        _ = try await client.call(service.call("Echo", [.bytes([])]))
        await client.unsubscribe(id)
        _ = try await client.call(service.call("Emit", [.uint32(1)]))
        _ = try await client.call(service.call("Echo", [.bytes([])]))
        #expect(count.withLock { $0 } == 1)
    }

    @Test func `hears a well-known name's signals from its owner alone`() async throws {
        let (ticks, continuation) = AsyncStream.makeStream(of: Message.self)
        try await server.requestName("test.Owner")
        try await client.subscribe(to: MatchRule(sender: "test.Owner")) { continuation.yield($0) }
        let other = try await Connection.open(BusAddress(bus.address))
        try await other.send(
            .signal(from: "/", "test.Echo", "Forged", to: await client.uniqueName)
        )
        // The bus keeps the order of one sender; the owner's signal is sent after the other's reply.
        _ = try await other.call(service.call("Emit", [.uint32(1)]))
        var iterator = ticks.makeAsyncIterator()
        #expect(await iterator.next()?.member == "Tick")
    }

    @Test func `tells who owns a name, now and later`() async throws {
        let (owners, continuation) = AsyncStream.makeStream(of: String?.self)
        try await client.watchOwner(of: "test.Owner") { continuation.yield($0) }
        try await server.requestName("test.Owner")
        try await server.releaseName("test.Owner")
        var iterator = owners.makeAsyncIterator()
        #expect(await iterator.next() == .some(nil))
        #expect(await iterator.next() == .some(await server.uniqueName))
        #expect(await iterator.next() == .some(nil))
        await #expect(throws: BusError.self) {
            try await server.requestName("test.Owner")
            try await client.requestName("test.Owner")
        }
    }

    @Test func `tells who owns a name, though who asked first was cancelled`() async throws {
        let (owners, continuation) = AsyncStream.makeStream(of: String?.self)
        bus.suspend()
        let watching = await client.watchTwice("test.Owner") { continuation.yield($0) }
        bus.resume()
        try await watching.value
        try await server.requestName("test.Owner")
        var iterator = owners.makeAsyncIterator()
        #expect(await iterator.next() == .some(nil))
        #expect(await iterator.next() == .some(await server.uniqueName))
    }

    @Test func `passes file descriptors`() async throws {
        let body = try await client.call(service.call("Open")).body()
        let end = try #require(body.first?.descriptor)
        #expect(Pipe.text(end) == "through a pipe")
        #expect(body.last == .uint16(23))
    }

    @Test func `refuses what the peer refuses`() async throws {
        let missing = try Message.methodCall(
            to: await server.uniqueName,
            at: "/nowhere",
            "test.Echo",
            "Echo"
        )
        await #expect { try await client.call(missing) } throws: {
            ($0 as? ErrorReply)?.name == .unknownObject
        }
        await #expect { try await client.call(service.call("Echo", [.string("x")])) } throws: {
            ($0 as? ErrorReply)?.name == .unknownMethod
        }
    }
}

extension Connection {
    /// Observes a name twice; the first time is cancelled before the bus has replied.
    ///
    /// - Returns: the second time, which has begun.
    fileprivate func watchTwice(
        _ name: String,
        _ handler: @escaping @Sendable (String?) -> Void
    ) async -> Task<Void, any Error> {
        // They run in this order, each until it waits.
        let first = Task { try await watchOwner(of: name) { _ in } }
        let second = Task { try await watchOwner(of: name, handler) }
        let cancelling = Task { cancel(first) }
        await cancelling.value
        await #expect(throws: CancellationError.self) { try await first.value }
        return second
    }

    /// Cancels a task; here, so that it waits for those before it.
    private func cancel(_ task: Task<Void, any Error>) { task.cancel() }
}
