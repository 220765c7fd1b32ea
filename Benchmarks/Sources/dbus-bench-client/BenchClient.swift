import BLEDBus

/// The client that is measured; on its connection's thread, as the actors of BlueZ are.
actor BenchClient {
    private static let payload: [UInt8] = [1, 2, 3] + Array(repeating: 0, count: 17)

    let connection: Connection

    var signalCount = SignalCount(0)
    var awaitedReport: CheckedContinuation<Report, Never>?

    nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Calls a method of the C server.
    func call(_ member: String, _ argument: Value) async throws -> Message {
        let call = try Message.methodCall(
            to: "lab.bench.Server",
            at: "/lab",
            "lab.bench",
            member,
            [argument]
        )
        return try await connection.call(call)
    }

    /// Has the server send 20 bytes back.
    ///
    /// - Returns: the sum of what came back.
    @discardableResult
    func echo() async throws -> Int {
        let reply = try await call("Echo", .bytes(Self.payload))
        return try reply.read { (reader) throws(BusError) in try reader.readBytes() }.sum
    }
}

extension [UInt8] {
    var sum: Int { reduce(0) { $0 + Int($1) } }
}
