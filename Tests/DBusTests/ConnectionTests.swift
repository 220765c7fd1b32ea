import DBus
import DBusTesting
import Testing

@Suite("A connection", .timeLimit(.minutes(1)))
struct ConnectionTests {
    private static let echo = ExportedInterface(
        "test.Echo",
        methods: [
            .init("Echo", arguments: [.init("value", "ay")], results: [.init("value", "ay")]) {
                call in
                call.reply((try? call.message.body()) ?? [])
            },
            .init("Never") { call in held.hold(call) },
        ],
        values: ["Answer": .uint16(42)]
    )
    private static let held = Held()

    private func pair() async throws -> (PrivateBus, Connection, Connection) {
        let bus = try PrivateBus()
        let address = BusAddress(bus.address)
        return (bus, try await .open(address), try await .open(address))
    }

    @Test func `calls a method and gets its reply`() async throws {
        let (bus, server, client) = try await pair()
        defer { bus.stop() }
        try await server.export([Self.echo], at: "/test")
        let call = try Message.methodCall(
            to: await server.uniqueName,
            at: "/test",
            "test.Echo",
            "Echo",
            [.bytes([1, 2, 3])]
        )
        #expect(try await client.call(call).body() == [.bytes([1, 2, 3])])
    }

    @Test func `ends a call that nobody answers`() async throws {
        let (bus, server, client) = try await pair()
        defer { bus.stop() }
        try await server.export([Self.echo], at: "/test")
        let call = try Message.methodCall(
            to: await server.uniqueName,
            at: "/test",
            "test.Echo",
            "Never"
        )
        await #expect { try await client.call(call, timeLimit: .milliseconds(20)) } throws: {
            ($0 as? BusError)?.code == .timedOut
        }
        let task = Task { try await client.call(call) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let lost = Task { try await client.call(call) }
        await Self.held.next()
        bus.stop()
        await #expect { try await lost.value } throws: {
            ($0 as? BusError)?.code == .disconnected
        }
    }
}

/// Keeps calls without replying to them.
actor Held {
    private var calls: [MethodCall] = []
    private var waiting: [CheckedContinuation<Void, Never>] = []

    nonisolated func hold(_ call: MethodCall) {
        Task { await add(call) }
    }

    private func add(_ call: MethodCall) {
        calls.append(call)
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    func next() async {
        await withCheckedContinuation { waiting.append($0) }
    }
}
