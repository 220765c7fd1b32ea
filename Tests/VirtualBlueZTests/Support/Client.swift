import BLEDBus
import BLEDBusTesting
import Glibc

/// A program on the bus, a central and a peripheral in one, which writes down in one order what
/// the daemon sends it: signals, replies and calls.
actor Client {
    /// What the application does when it is called.
    enum Response {
        case values([Value])
        case error(ErrorReply)
        case hold
    }

    nonisolated let connection: Connection
    private var trace: [String] = []
    private var readCount = 0
    private var waiting: (line: String, continuation: CheckedContinuation<Void, any Error>)?

    /// Kept alive as long as its clients are.
    let world: World

    /// By the method's name; what isn't there succeeds.
    private var responses: [String: Response] = [:]
    private var held: [MethodCall] = []

    /// The application's ends of the sockets that it was asked for.
    private(set) var sockets: [FileDescriptor] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

    init(in world: World) async throws {
        self.world = world
        connection = try await Connection.open(BusAddress(world.bus.address))
        await connection.onDisconnect { [weak self] error in
            self?.assumeIsolated { $0.endWaiting(error) }
        }
        try await connection.subscribe(to: MatchRule(sender: "org.bluez")) { [weak self] signal in
            self?.assumeIsolated { client in
                TraceText.signal(signal).map { client.note($0) }
            }
        }
    }

    /// Writes down when the daemon is gone.
    func watchDaemon() async throws {
        try await connection.watchOwner(of: "org.bluez") { [weak self] owner in
            guard owner == nil else { return }
            self?.assumeIsolated { $0.note("org.bluez is gone") }
        }
    }

    /// Writes down when another client is gone; the daemon learns it no later.
    func watchEnd(of other: Client) async throws {
        let name = await other.connection.uniqueName
        try await connection.watchOwner(of: name) { [weak self] owner in
            guard owner == nil else { return }
            self?.assumeIsolated { $0.note("client is gone") }
        }
    }

    /// Leaves the bus, as a program that dies.
    func die() async {
        await connection.close()
    }

    // MARK: - Trace

    func note(_ line: String) {
        trace.append(line)
        guard let waiting, waiting.line == line else { return }
        self.waiting = nil
        waiting.continuation.resume()
    }

    /// The lines since the last time, up to one, which is waited for.
    @discardableResult
    func upTo(_ line: String) async throws -> [String] {
        if !trace[readCount...].contains(line) {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { waiting = (line, $0) }
            } onCancel: {
                Task { await endWaiting(CancellationError()) }
            }
        }
        let end = trace[readCount...].firstIndex(of: line) ?? trace.endIndex - 1
        defer { readCount = end + 1 }
        return Array(trace[readCount...end])
    }

    private func endWaiting(_ error: any Error) {
        waiting?.continuation.resume(throwing: error)
        waiting = nil
    }

    /// The lines since the last time, up to what the daemon has sent when it is asked now.
    @discardableResult
    func upToNow() async throws -> [String] {
        _ = try await call("Ping", on: .hci0, .peer)
        defer { readCount = trace.endIndex }
        return Array(trace[readCount...])
    }

    /// The lines since the last time, up to what the bus has sent when it is asked now.
    func upToBus() async throws -> [String] {
        let bus = "org.freedesktop.DBus"
        let message = try Message.methodCall(to: bus, at: "/org/freedesktop/DBus", bus, "GetId")
        _ = try await connection.call(message)
        defer { readCount = trace.endIndex }
        return Array(trace[readCount...])
    }

    /// Returns when the daemon and this client have handled what they had sent each other.
    func settle() async throws {
        for _ in 0..<2 { _ = try await call("Ping", on: .hci0, .peer) }
    }

    /// All lines since the beginning.
    var wholeTrace: [String] { trace }

    /// Forgets the lines that were read.
    func forget() {
        trace.removeFirst(readCount)
        readCount = 0
    }

    /// All lines since the last of these.
    func wholeTrace(from line: String) -> [String] {
        Array(trace[(trace.lastIndex(of: line) ?? trace.endIndex)...])
    }

    // MARK: - Calls

    /// Calls the daemon, and writes its reply down as `return Member` or `error Member Name "text"`.
    func begin(
        _ member: String,
        on path: ObjectPath,
        _ interface: Interface,
        _ body: [Value] = []
    ) {
        connection.assumeIsolated { connection in
            guard let message = Self.message(member, path, interface, body) else { return }
            connection.call(message) { [weak self] result in
                let line = Self.line(member, result)
                self?.assumeIsolated { $0.note(line) }
            }
        }
    }

    func call(
        _ member: String,
        on path: ObjectPath,
        _ interface: Interface,
        _ body: [Value] = []
    ) async throws -> [Value] {
        guard let message = Self.message(member, path, interface, body) else { return [] }
        return try await connection.call(message).body()
    }

    func property(
        _ name: String,
        of interface: Interface,
        at path: ObjectPath
    ) async throws -> Value? {
        let body: [Value] = [.string(interface.rawValue), .string(name)]
        return try await call("Get", on: path, .properties, body).first?.unwrapped
    }

    func set(
        _ name: String,
        of interface: Interface,
        at path: ObjectPath,
        to value: Value
    ) async throws {
        let body: [Value] = [.string(interface.rawValue), .string(name), .variant(value)]
        _ = try await call("Set", on: path, .properties, body)
    }

    private static func message(
        _ member: String,
        _ path: ObjectPath,
        _ interface: Interface,
        _ body: [Value]
    ) -> Message? {
        try? .methodCall(to: interface.busName, at: path, interface.rawValue, member, body)
    }

    private static func line(_ member: String, _ result: Result<Message, any Error>) -> String {
        switch result {
        case .success: return "return \(member)"
        case .failure(let error as ErrorReply):
            let name = error.name.rawValue.split(separator: ".").last ?? ""
            return "error \(member) \(name) \(error.text)"
        case .failure(let error): return "\(error)"
        }
    }

    // MARK: - Serving

    func respond(to member: String, with response: Response) {
        responses[member] = response
    }

    /// Holds the calls of a method from now on, whatever object they are for.
    func hold(_ member: String) async {
        await connection.interceptCalls { [weak self] call in
            guard call.message.member == member else { return false }
            self?.assumeIsolated { client in
                client.note("call \(member)")
                client.held.append(call)
            }
            return true
        }
    }

    /// Replies to the calls that were held.
    func release() {
        for call in held { call.reply() }
        held = []
    }

    /// Handles a call that asks the application for a socket.
    func serveSocket(_ call: MethodCall) {
        let member = call.message.member ?? ""
        let options = (try? call.message.body())?.first?.properties ?? [:]
        note("call \(member) \(TraceText.path(options["device"]?.objectPath))")
        if case .error(let error) = responses[member] { return call.fail(error) }
        var ends: [Int32] = [0, 0]
        let flags = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, flags, 0, &ends) == 0 else {
            return call.fail(ErrorReply(.failed, "no socket"))
        }
        sockets.append(FileDescriptor(owning: ends[0]))
        call.reply([.descriptor(FileDescriptor(owning: ends[1])), .uint16(517)])
    }

    /// Closes the application's end of a socket.
    func closeSocket(_ index: Int) {
        sockets.remove(at: index)
    }

    /// Puts a value into a socket.
    func send(_ text: String, into index: Int) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(sockets[index].rawValue, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// The next packet of a socket, empty at its end; waits on the client's thread.
    func packet(from socket: FileDescriptor) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = recv(socket.rawValue, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(0, count)))
    }

    /// Whether the daemon's end of a socket, from which nothing is to be read any more, is closed.
    func hasEnded(_ socket: FileDescriptor) -> Bool {
        var byte: UInt8 = 0
        return recv(socket.rawValue, &byte, 1, Int32(MSG_DONTWAIT)) == 0
    }

    /// The next packet of a socket that the application was asked for, as text.
    func packet(_ index: Int) -> String {
        String(decoding: packet(from: sockets[index]), as: UTF8.self)
    }

    /// Handles a call of one of the application's methods.
    func serve(_ call: MethodCall, asReply values: [Value]) {
        let member = call.message.member ?? ""
        let arguments = (try? call.message.body()) ?? []
        let bytes = arguments.compactMap(\.bytes).map { String(decoding: $0, as: UTF8.self) }
        note((["call \(member)"] + bytes).joined(separator: " "))
        switch responses[member] {
        case nil: call.reply(values)
        case .values(let values): call.reply(values)
        case .error(let error): call.fail(error)
        case .hold: held.append(call)
        }
    }
}
