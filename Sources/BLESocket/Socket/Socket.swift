public import BLE
internal import BLESession

/// A stream of bytes to another device, over one service.
///
/// ```swift
/// let socket = Socket(listeningOn: adapter, .nordicUART)
/// let received = await socket.received()
/// try await socket.open()
/// try await socket.send(Array("hello\n".utf8))
/// for try await bytes in received { print(bytes) }
/// ```
///
/// Bytes come in pieces of any size. How they travel, ``transport`` says once the other end is connected:
///
/// | | ``SocketTransport/raw`` | ``SocketTransport/stream`` |
/// |---|---|---|
/// | the other end | any with two characteristics | one of ours |
/// | order | the link's: over enhanced bearers (EATT), as two bluetoothds of version 5.66 have them, packets that are sent at once may overtake each other; a central then writes with responses where it can, which keeps its own in order | kept |
/// | a lost connection | closes the socket; what the radio had taken may be lost | is made again for up to a minute, and nothing is lost |
/// | ``send(_:)`` returns when | the radio has taken the bytes | the other end has them |
/// | ``write(_:)`` returns when | the same | there is room for more |
/// | who does not read | is closed at 2,048 pieces | is sent no more |
/// | ``finish()`` | tells nobody | ends ``received()`` at the other end |
/// | who listens | reads all of it | reads nothing: ``SocketConfiguration/encryption`` |
///
/// A socket that is open, or being opened, lives on until it is closed, also when nobody refers to it.
public actor Socket {
    let executor: any RadioExecutor
    let clock: any Clock<Duration>
    private let time: @Sendable () -> Duration
    let configuration: SocketConfiguration
    let connection: PacketConnection
    let observers = Observers<any SocketObserver>()
    var streams = EventStreams<SocketEvent> { .failedToReceive(SocketError(missed: $0)) }
    /// Calls of ``run()``.
    var runs = EndWaiters()

    /// The other end, while it is connected.
    var channel: PacketChannel?
    var queue: SendQueue
    /// Calls of ``send(_:)`` that have not returned.
    var sends: [Int: PendingSend] = [:]
    private var lastSend = 0
    /// What hands packets to the radio.
    var sending: Task<Void, Never>?
    /// How many bytes a packet has; `nil` when it is to be asked for.
    var packetByteCount: Int?
    var pieces: ReceivedPieces
    /// Who waits in ``close()``.
    var closing: [Promise<Void>] = []
    /// Who waits in ``open()``.
    var opening: Promise<Void>?
    private var deadline: (time: Duration, timer: Deadline)?
    /// While it is open, or being opened.
    private var itself: Socket?
    /// The stream, from the first connection on until it is over.
    var stream: SocketStream?
    /// What ``transport`` and ``peerKey`` were when it was opened last, also when it has been closed since.
    package internal(set) var opened: (transport: SocketTransport, peerKey: SocketPublicKey?)?
    /// Why it was closed, since it was opened last; `nil` when it was not, or as it should be.
    package internal(set) var lastEnd: SocketError?

    /// The radio's executor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// A socket that is a peripheral, and waits for a central.
    ///
    /// - Parameters:
    ///   - radio: over which it is reached.
    ///   - configuration: which service it is, and its limits.
    ///   - clock: measures the time; `nil` for the radio's executor.
    public init(
        listeningOn radio: any PeripheralRadio,
        _ configuration: SocketConfiguration,
        clock: (any Clock<Duration>)? = nil
    ) {
        self.init(.peripheral(radio), radio.executor, configuration, clock)
    }

    /// A socket that is a central, and connects to a peripheral.
    ///
    /// - Parameters:
    ///   - radio: over which it reaches the peripheral.
    ///   - peer: the peripheral; `nil` for the first that advertises the service.
    ///   - configuration: which service it is, and its limits.
    ///   - clock: measures the time; `nil` for the radio's executor.
    public init(
        connectingOver radio: any CentralRadio,
        to peer: PeerID? = nil,
        _ configuration: SocketConfiguration,
        clock: (any Clock<Duration>)? = nil
    ) {
        self.init(.central(radio, peer), radio.executor, configuration, clock)
    }

    /// One end of a connection that a listener has, which keeps what comes until it is read.
    init(acceptedBy listener: SocketListener) {
        self.init(
            .accepted(listener),
            listener.executor,
            listener.configuration,
            listener.clock,
            ReceivedPieces(isKept: true)
        )
    }

    private init(
        _ role: PacketConnection.Role,
        _ executor: any RadioExecutor,
        _ configuration: SocketConfiguration,
        _ clock: (any Clock<Duration>)?,
        _ pieces: ReceivedPieces = ReceivedPieces()
    ) {
        self.executor = executor
        self.pieces = pieces
        self.configuration = configuration
        let clock = clock ?? executor.clock
        self.clock = clock
        time = clock.stopwatch()
        connection = PacketConnection(role, configuration, on: executor, clock: clock)
        queue = SendQueue(
            maximumCount: configuration.maximumSendCount,
            maximumByteCount: configuration.maximumSendByteCount
        )
    }

    /// Whether the other end has been connected, and the socket has not been closed since.
    ///
    /// A stream is open also while its connection is lost, and being made again.
    public var isOpen: Bool { stream.map(\.isOpen) ?? (channel != nil) }

    /// How bytes travel; `nil` unless it is open.
    public var transport: SocketTransport? {
        isOpen ? stream == nil ? .raw : .stream : nil
    }

    /// The other end's key, which it has shown to be its own; `nil` unless the socket is open, and encrypted.
    ///
    /// One that was not asked for in ``SocketEncryption/peers`` may be anybody's: compare it with what the other end has.
    public var peerKey: SocketPublicKey? { isOpen ? stream?.cipher?.peer : nil }

    /// How many bytes an ATT packet of the connection may have, at least 23; `nil` unless there is one.
    public var mtuBytes: Int? {
        get async { await channel?.mtuBytes() }
    }

    /// Opens the socket, and waits until the other end is connected.
    ///
    /// A peripheral waits for a central as long as it takes; ``SocketConfiguration/openLimit`` is that of the radio. For
    /// a central the limit is that of finding and connecting to the peripheral, and of all attempts with one that accepts
    /// connections and says nothing over them, the last of which may take 10 s longer.
    ///
    /// - Throws: ``SocketError``: ``SocketError/Code/bluetoothOff``, ``SocketError/Code/timedOut``,
    ///   ``SocketError/Code/notFound``, ``SocketError/Code/lostConnection``; ``SocketError/Code/bluetoothAbsent`` when a
    ///   peripheral's radio was closed for good; ``SocketError/Code/alreadyOpen`` when it is open, or being opened;
    ///   `CancellationError`, and then it is closed.
    public func open() async throws {
        try Task.checkCancellation()
        try await waitUntilOpen(beginOpening())
    }

    /// Begins to open the socket.
    ///
    /// - Returns: kept once the other end is connected.
    func beginOpening() throws(SocketError) -> Promise<Void> {
        let isIdle = connection.assumeIsolated { $0.isIdle }
        guard opening == nil, channel == nil, stream == nil, isIdle else {
            throw SocketError(.alreadyOpen, "the socket is open already, or being opened")
        }
        guard !connection.assumeIsolated({ $0.hasLeft }) else {
            throw SocketError(
                .notConnected,
                "the socket is closed: the listener that had it accepts another one for a new connection"
            )
        }
        let opened = Promise<Void>()
        opening = opened
        lastEnd = nil
        itself = self
        connection.assumeIsolated { $0.open(for: self) }
        return opened
    }

    /// Closes the socket: the other end notices, and what was not sent fails.
    ///
    /// Returns when the system has taken the service or the link back; at once when it is closed already.
    public func close() async {
        await leaveStream()
        await connection.close()
    }

    /// Sends bytes after those before.
    ///
    /// Several calls wait for each other, in order. Returns when the radio has taken the last byte; over a stream when
    /// the other end has it. That is what the other end says; also where the stream is encrypted, somebody who takes its place
    /// while the connection is lost could say it, but read nothing; the socket is closed with an error when the true one is back.
    ///
    /// - Parameter bytes: any number.
    /// - Throws: ``SocketError``: ``SocketError/Code/notConnected``, ``SocketError/Code/lostConnection``,
    ///   ``SocketError/Code/timedOut``, ``SocketError/Code/full``; `CancellationError`, and then some of them may
    ///   have been sent.
    public func send(_ bytes: [UInt8]) async throws {
        try await send(bytes, .untilConfirmed)
    }

    /// Sends bytes after those before, and returns as soon as more can follow.
    ///
    /// Over a stream, that is when there is room for the next ones on the way to the other end; ``finish()`` then waits until
    /// it has all. With raw bytes this is ``send(_:)``.
    ///
    /// - Parameter bytes: any number.
    /// - Throws: as ``send(_:)``.
    public func write(_ bytes: [UInt8]) async throws {
        try await send(bytes, .untilWritten)
    }

    /// The most bytes that a control message may have.
    public static let maximumControlByteCount = 256

    /// Sends a message beside the bytes, in order with them, and returns as soon as more can follow.
    ///
    /// It is for what two programs have to tell each other that is no part of what they send, such as the size of a
    /// terminal. The other end is told with ``SocketEvent/receivedControl(_:)``; ``received()`` does not have it. Nobody
    /// else can read, change or add one, so it needs an encrypted stream: ``peerKey`` is not `nil` then.
    ///
    /// - Parameter message: 1 to ``maximumControlByteCount`` bytes; none is not sent.
    /// - Throws: as ``send(_:)``; ``SocketError`` with ``SocketError/Code/tooLong``, or with
    ///   ``SocketError/Code/unsupported`` where the connection is no encrypted stream.
    public func write(control message: [UInt8]) async throws {
        guard message.count <= Self.maximumControlByteCount else {
            throw SocketError(
                .tooLong,
                "a control message of \(message.count) bytes was not sent: it may have \(Self.maximumControlByteCount)"
            )
        }
        guard !isOpen || peerKey != nil else {
            throw SocketError(
                .unsupported,
                "a control message was not sent: only an encrypted stream carries them"
            )
        }
        try await send(message, .control)
    }

    private func send(
        _ bytes: [UInt8],
        _ kind: PendingSend.Kind,
        isLast: Bool = false
    ) async throws {
        try Task.checkCancellation()
        let isFinished = (isLast ? stream?.session.sender.isEnded : stream?.isFinishing) ?? false
        guard isOpen, !isFinished else {
            throw SocketError(
                .notConnected,
                "\(bytes.count) bytes were not sent: the socket "
                    + (isOpen ? "sends no more" : "is not open")
            )
        }
        lastSend += 1
        let id = lastSend
        let send = PendingSend(
            byteCount: bytes.count,
            kind: kind,
            deadline: configuration.sendLimit.map { now + $0 }
        )
        try queue.add(id, bytes, by: send.deadline, isControl: kind == .control)
        sends[id] = send
        if isLast { stream?.isFinishing = true }
        pump()
        do {
            try await send.done.wait()
        } catch let error as CancellationError {
            complete(queue.cancel(id) + (stream?.cancel(id) ?? []))
            pump()
            throw error
        }
    }

    /// Sends no more bytes: over a stream, ``received()`` ends at the other end once it has all.
    ///
    /// Returns when what waited has been sent; over a stream when the other end has all. The other end may go on
    /// sending. When both ends have finished, and have all, the socket is closed.
    ///
    /// Over a stream, what is sent after this has begun is refused, with ``SocketError/Code/notConnected``; also when this
    /// fails, or is cancelled, and then it can be called again.
    ///
    /// - Throws: as ``send(_:)``.
    public func finish() async throws {
        try await send([], .untilConfirmed, isLast: true)
        try await finishStream()
    }

    /// What the other end sends from now on, until it finishes or the socket is closed.
    ///
    /// Asked for while it is closed, the bytes are those of the next opening; once the other end has finished, there are
    /// none. The sequence throws a ``SocketError`` when the socket is closed by the other end or the system. When 2,048
    /// pieces wait for whoever reads, the socket is closed, and it throws ``SocketError/Code/full``; over a stream the other
    /// end is not let to send so much. A second call ends the sequence of the first.
    ///
    /// - Returns: the bytes, for one consumer.
    public func received() -> AsyncThrowingStream<[UInt8], any Error> {
        let number = droppingPieces { $0.beginReading() }
        // Nothing more comes, and nothing else would say so.
        if let stream, stream.end == nil, stream.session.hasReportedEnd { pieces.finish(nil) }
        let reading = Reading { [weak self] in await self?.stopReading(number) }
        return AsyncThrowingStream { [weak self] in
            defer { withExtendedLifetime(reading) {} }
            return try await self?.nextPiece(of: number)
        }
    }

    /// Adds an observer, which is held weakly.
    ///
    /// At most 4,096 calls wait for observers. When more are dropped, they are told with
    /// ``SocketObserver/socket(_:didFailToReceive:)`` how many.
    ///
    /// - Parameter observer: who is told what happens.
    public func addObserver(_ observer: any SocketObserver) async {
        await observers.add(observer) { [weak self] observer, count in
            guard let self else { return }
            await observer.socket(self, didFailToReceive: SocketError(missed: count))
        }
    }

    /// Removes an observer.
    ///
    /// - Parameter observer: who is not told any more.
    public func removeObserver(_ observer: any SocketObserver) async {
        await observers.remove(observer)
    }

    var now: Duration { time() }

    /// Lives on no longer than somebody refers to it, once nothing happens any more.
    func letGo() {
        if connection.assumeIsolated({ $0.isIdle }) { itself = nil }
    }

    /// Measures the time until what is next.
    func arm() {
        let next = Duration.earliest(queue.deadline, stream?.deadline)
        guard deadline?.time != next else { return }
        // A stream's moves with each packet: one that is too early is measured anew when it has come.
        if stream != nil, let armed = deadline?.time, let next, armed <= next { return }
        deadline?.timer.cancel()
        deadline = next.map { next in
            let timer = Deadline(after: max(next - now, .zero), on: clock, of: self) { socket in
                socket.deadline = nil
                socket.complete(socket.queue.passTime(socket.now))
                socket.handleStream(.time)
                socket.pump()
            }
            return (next, timer)
        }
    }
}

/// One call of ``Socket/send(_:)`` that has not returned.
struct PendingSend: Sendable {
    enum Kind: Sendable {
        /// It returns when the other end of a stream has the bytes.
        case untilConfirmed
        /// It returns when there is room for more.
        case untilWritten
        /// A control message; it returns when there is room for more.
        case control
    }

    let byteCount: Int
    let kind: Kind
    let deadline: Duration?
    let done = Promise<Void>()
}

/// Says when nobody reads any more.
private final class Reading: Sendable {
    private let stop: @Sendable () async -> Void

    init(_ stop: @escaping @Sendable () async -> Void) {
        self.stop = stop
    }

    deinit {
        Task { [stop] in await stop() }
    }
}
