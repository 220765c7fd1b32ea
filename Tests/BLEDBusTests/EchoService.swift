import BLEDBus

/// An object to call: echoes bytes, tells of calls that it never answers, emits signals.
struct EchoService {
    static let path: ObjectPath = "/test"
    static let interface = "test.Echo"

    /// The calls of `Never`, held without a reply.
    let held: AsyncStream<MethodCall>

    private let connection: Connection

    init(on connection: Connection) async throws {
        let (held, continuation) = AsyncStream.makeStream(of: MethodCall.self)
        self.held = held
        self.connection = connection
        let echo = ExportedInterface(
            Self.interface,
            methods: [
                .init("Echo", arguments: [.init("value", "ay")], results: [.init("value", "ay")]) {
                    call in
                    call.reply((try? call.message.body()) ?? [])
                },
                .init("Never") { continuation.yield($0) },
                .init("Drop") { _ in },
                .init("Emit", arguments: [.init("count", "u")]) { [weak connection] call in
                    call.reply()
                    connection?.assumeIsolated { connection in
                        let count = (try? call.message.body().first?.integer) ?? 0
                        for number in 0..<count {
                            try? connection.send(
                                .signal(
                                    from: Self.path,
                                    Self.interface,
                                    "Tick",
                                    [.uint32(UInt32(number))]
                                )
                            )
                        }
                    }
                },
                .init("Open", results: [.init("end", "h"), .init("mtu", "q")]) { call in
                    call.reply(
                        Pipe.withText("through a pipe").map { [.descriptor($0), .uint16(23)] } ?? []
                    )
                },
            ],
            signals: [.init("Tick", arguments: [.init("number", "u")])],
            properties: [.init("Answer", "q", isWritable: true), .init("Fixed", "s")],
            values: ["Answer": .uint16(42), "Fixed": .string("as it is")],
            onSet: { [weak connection] call, property, value in
                connection?.assumeIsolated {
                    try? $0.update([property: value], of: Self.interface, at: Self.path)
                }
                call.reply()
            }
        )
        await connection.exportObjectManager(at: .root)
        try await connection.export([echo], at: Self.path)
    }

    func call(_ member: String, _ body: [Value] = []) async throws -> Message {
        try .methodCall(
            to: await connection.uniqueName,
            at: Self.path,
            Self.interface,
            member,
            body
        )
    }
}
