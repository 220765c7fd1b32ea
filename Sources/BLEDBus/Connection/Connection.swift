package import Logging

/// A connection to a message bus.
///
/// Its executor is a thread of its own, on which replies and signals are handled in the order of
/// arrival. An actor that uses the same executor can be entered from the handlers of
/// ``subscribe(to:_:)`` and of exported methods with `assumeIsolated`.
package actor Connection {
    /// The default time limit of a call.
    package static let defaultTimeLimit: Duration = .seconds(60)

    private static let bus = "org.freedesktop.DBus"
    private static let busPath: ObjectPath = "/org/freedesktop/DBus"

    private enum State {
        case new
        case open
        case closed(BusError)
    }

    /// The connection's thread: its executor, and that of actors which use it.
    ///
    /// A task that prefers it saves switching threads, and continues after a reply before later messages
    /// are handled.
    package nonisolated let loop: ConnectionLoop
    package nonisolated let logger: Logger

    private var state = State.new

    /// The bus; `nil` before the connection is open.
    private(set) var address: BusAddress?

    private var lastSerial: UInt32 = 0
    private var pending = PendingCalls()
    private var window = CallWindow()
    var router = SignalRouter()
    var server = ObjectServer()

    /// Sees the calls of peers before they are served.
    var interceptor: (@Sendable (MethodCall) -> Bool)?

    /// The unique name of this connection, `:1.42`; empty before it is open.
    package private(set) var uniqueName = ""

    /// Called once, on the loop, when the connection ends; not after ``close()``.
    private var onDisconnect: (@Sendable (BusError) -> Void)?

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    private init(logger: Logger) {
        loop = ConnectionLoop()
        self.logger = logger
    }

    deinit {
        let loop = loop
        loop.post { loop.close() }
    }

    /// Connects to a bus.
    ///
    /// - Parameters:
    ///   - address: the address of the bus.
    ///   - timeLimit: how long the bus may take to reply to `Hello`.
    ///   - logger: the logger for connections, losses and failures.
    /// - Returns: an open connection.
    /// - Throws: ``BusError/Code/connectionRefused``, ``BusError/Code/timedOut``, ``ErrorReply``,
    ///   `CancellationError`.
    package static func open(
        _ address: BusAddress,
        timeLimit: Duration = .seconds(5),
        logger: Logger = Logger(label: "DBus")
    ) async throws -> Connection {
        let connection = Connection(logger: logger)
        do {
            try await connection.start(address, timeLimit)
        } catch {
            await connection.close()
            throw error
        }
        return connection
    }

    private func start(_ address: BusAddress, _ timeLimit: Duration) async throws {
        try loop.open(
            address,
            onMessage: { [weak self] message in
                self?.assumeIsolated { $0.receive(message) }
            },
            onDeadline: { [weak self] now in
                self?.assumeIsolated { $0.expire(now) }
            }
        )
        state = .open
        self.address = address
        let reply: Message
        do {
            reply = try await callBus("Hello", timeLimit: timeLimit)
        } catch let error as BusError where error.code == .disconnected {
            throw BusError(
                .connectionRefused,
                "connecting to the bus at \(address.rawValue) failed: the bus closed the connection"
            )
        }
        uniqueName = try reply.read { (reader) throws(BusError) in try reader.readString() }
        logger.debug("connected to \(address.rawValue) as \(uniqueName)")
    }

    /// Closes the connection; pending calls fail with ``BusError/Code/disconnected``.
    package func close() {
        guard case .open = state else { return }
        end(BusError(.disconnected, "the connection to the bus was closed"))
        loop.close()
    }

    /// Sets the handler for the loss of the connection.
    ///
    /// - Parameter handler: called at most once, on the loop; at once when the connection is lost already.
    package func onDisconnect(_ handler: @escaping @Sendable (BusError) -> Void) {
        if case .closed(let error) = state {
            handler(error)
        } else {
            onDisconnect = handler
        }
    }

    /// Stops reading from the bus, as a process that hangs, until ``resume()``.
    ///
    /// Messages that are queued are sent first.
    package func suspend() {
        loop.setSuspended(true)
    }

    /// Reads from the bus again, beginning with what has arrived since ``suspend()``.
    package func resume() {
        loop.setSuspended(false)
    }

    // MARK: - Calls

    /// Calls a method and waits for the reply.
    ///
    /// - Parameters:
    ///   - message: a method call.
    ///   - timeLimit: how long to wait for the reply.
    /// - Returns: the reply.
    /// - Throws: ``ErrorReply`` when the peer replies with an error; ``BusError``; `CancellationError`,
    ///   which does not take back a call that has been sent.
    package func call(
        _ message: Message,
        timeLimit: Duration = Connection.defaultTimeLimit
    ) async throws -> Message {
        // Reserved before sending, so that a cancellation can find the call.
        let serial = nextSerial()
        return try await withTaskCancellationHandler {
            // Unsafe, as being checked takes 900 instructions, 1 % of a call: `pending` gives each
            // completion out once, and all that are left when the connection ends.
            try await withUnsafeThrowingContinuation { continuation in
                guard !Task.isCancelled else {
                    continuation.resume(throwing: CancellationError())
                    return
                }
                send(message, serial, timeLimit) { continuation.resume(with: $0) }
            }
        } onCancel: {
            loop.post { [weak self] in self?.assumeIsolated { $0.cancel(serial) } }
        }
    }

    /// Calls a method; the completion gets the reply in its order among the signals.
    ///
    /// - Parameters:
    ///   - message: a method call.
    ///   - timeLimit: how long to wait for the reply.
    ///   - completion: called once, on the loop, with the reply or with what
    ///     ``call(_:timeLimit:)`` throws; before this method returns if the message cannot be sent.
    package func call(
        _ message: Message,
        timeLimit: Duration = Connection.defaultTimeLimit,
        completion: @escaping (Result<Message, any Error>) -> Void
    ) {
        send(message, nextSerial(), timeLimit, completion)
    }

    private func send(
        _ message: Message,
        _ serial: UInt32,
        _ timeLimit: Duration,
        _ completion: @escaping PendingCalls.Completion
    ) {
        if let error = closingError {
            completion(.failure(error))
            return
        }
        let target = PendingCalls.Target(
            member: message.member ?? "",
            path: message.path?.rawValue ?? "",
            destination: message.destination ?? ""
        )
        pending.add(serial, until: .now + timeLimit, of: target, completion)
        loop.nextDeadline = pending.nextDeadline
        do {
            if try window.admits(message, serial: serial) { transmit(message, serial) }
        } catch {
            pending.remove(serial)?(.failure(error))
        }
    }

    private func transmit(_ call: Message, _ serial: UInt32) {
        do {
            try loop.send(call, serial: serial)
        } catch {
            takeNextCall()
            pending.remove(serial)?(.failure(error))
        }
    }

    private func takeNextCall() {
        guard let next = window.replied(where: pending.contains) else { return }
        transmit(next.message, next.serial)
    }

    private func cancel(_ serial: UInt32) {
        // The bus waits for the reply to one that was sent.
        let completion = window.isWaiting(serial) ? pending.remove(serial) : pending.abandon(serial)
        completion?(.failure(CancellationError()))
    }

    func callBus(
        _ member: String,
        _ body: [Value] = [],
        timeLimit: Duration = Connection.defaultTimeLimit
    ) async throws -> Message {
        try await call(busCall(member, body), timeLimit: timeLimit)
    }

    func busCall(_ member: String, _ body: [Value] = []) throws(BusError) -> Message {
        try .methodCall(to: Self.bus, at: Self.busPath, Self.bus, member, body)
    }

    /// Sends a signal, or a reply to a call.
    ///
    /// Nobody confirms that it has arrived.
    ///
    /// - Throws: ``BusError``, with ``BusError/Code/overflow`` when the bus does not read.
    package func send(_ message: Message) throws(BusError) {
        if let closingError { throw closingError }
        try loop.send(message, serial: nextSerial())
    }

    private func nextSerial() -> UInt32 {
        lastSerial = lastSerial == .max ? 1 : lastSerial + 1
        return lastSerial
    }

    /// Whether the connection has ended, by ``close()`` or with the bus.
    var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    private var closingError: BusError? {
        switch state {
        case .new: BusError(.disconnected, "the connection to the bus is not open")
        case .open: nil
        case .closed(let error): error
        }
    }

    // MARK: - Receiving

    private func receive(_ message: Message) {
        switch message.kind {
        case .methodReturn:
            finish(message.replySerial, .success(message))
        case .error:
            finish(message.replySerial, .failure(ErrorReply(message)))
        case .methodCall:
            serve(message)
        case .signal:
            if message.interface == "org.freedesktop.DBus.Local" {
                lose(BusError(.disconnected, "the connection to the bus was lost"))
            } else {
                router.route(message)
            }
        }
    }

    private func finish(_ serial: UInt32, _ reply: Result<Message, any Error>) {
        takeNextCall()
        if window.hasExpired {
            window.didReply(to: serial, by: pending.target(of: serial)?.destination)
        }
        pending.remove(serial)?(reply)
        // The bus has no room for more calls of a connection, and takes none back: only another connection helps.
        guard window.lostCount >= CallWindow.maximumLostCount else { return }
        let text =
            "\(window.lostCount) calls were never replied to; the connection to the bus is ended"
        lose(BusError(.disconnected, text))
    }

    private func expire(_ now: ContinuousClock.Instant) {
        let expired = pending.removeExpired(at: now)
        window.didExpire(expired.map { ($0.serial, $0.target.destination) })
        for call in expired { call.completion?(.failure(call.error)) }
        loop.nextDeadline = pending.nextDeadline
    }

    private func lose(_ error: BusError) {
        logger.warning("\(error)")
        let handler = onDisconnect
        end(error)
        loop.drop()
        handler?(error)
    }

    private func end(_ error: BusError) {
        state = .closed(error)
        onDisconnect = nil
        window = CallWindow()
        router = SignalRouter()
        server = ObjectServer()
        interceptor = nil
        for completion in pending.removeAll() { completion(.failure(error)) }
    }
}

extension Connection {
    /// Runs a closure on the connection without suspending.
    package func perform<Output: Sendable>(
        _ work: @Sendable (isolated Connection) throws -> Output
    ) rethrows -> Output {
        try work(self)
    }
}
