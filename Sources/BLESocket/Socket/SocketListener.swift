public import BLE
internal import BLESession

/// A peripheral that waits for centrals, and has a socket with a stream for each of them: several at once.
///
/// ```swift
/// let listener = SocketListener(on: adapter, configuration)
/// let events = await listener.events()
/// try await listener.open()
/// for await case .accepted(let socket) in events {
///     Task { try await serve(socket) }
/// }
/// ```
///
/// Each is one central's program: two of one machine have two. What comes is kept until it is read, and the other end sends no more than that meanwhile. A
/// connection that is lost is waited for, as a stream does it, while others go on. A ``Socket`` that listens by itself has one central alone, which may have raw bytes as well.
///
/// It advertises, and publishes again what the system has ended, until ``close()``, or until its radio was closed for good.
public actor SocketListener {
    /// What happens.
    public enum Event: Sendable {
        /// A central has connected; over the socket what it sends can be read from the beginning.
        case accepted(Socket)
        /// A central was refused, or has left, before that.
        case refused(SocketError)
        /// The system has ended the service, or it could not be published; that is tried again.
        case interrupted(SocketError)
        /// The radio was closed for good, as when the system's bus has ended, with ``SocketError/Code/bluetoothAbsent``: nobody
        /// is accepted any more, and no event comes after this one.
        case ended(SocketError)
    }

    let executor: any RadioExecutor
    let clock: any Clock<Duration>
    let configuration: SocketConfiguration
    /// How many sockets it has at once; others are refused.
    public nonisolated let maximumSocketCount: Int
    private let radio: any PeripheralRadio
    private var accepted = AcceptedSockets()
    private var streams = EventStreams<Event> { .refused(SocketError(missed: $0)) }
    private var publishing: Task<Void, Never>?
    private var publication: (any Publication)?
    /// Which publication's events count.
    private var number = 0
    private var ending: Promise<SocketError>?
    /// How many refusals the radio has not taken.
    private var refusalCount = 0
    private static let maximumRefusalCount = 16
    /// What closes it, for all who ask for that; nobody is accepted meanwhile.
    private var closing: Task<Void, Never>?

    /// The radio's executor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Creates a listener.
    ///
    /// - Parameters:
    ///   - radio: over which it is reached.
    ///   - configuration: which service it is, and its limits; its transports count as ``SocketTransport/stream`` alone.
    ///   - maximumSocketCount: how many sockets it has at once, at least 1; others are refused.
    ///   - clock: measures the time; `nil` for the radio's executor.
    public init(
        on radio: any PeripheralRadio,
        _ configuration: SocketConfiguration,
        maximumSocketCount: Int = 8,
        clock: (any Clock<Duration>)? = nil
    ) {
        executor = radio.executor
        self.radio = radio
        self.maximumSocketCount = max(maximumSocketCount, 1)
        self.clock = clock ?? executor.clock
        var configuration = configuration
        configuration.transports = [.stream]
        self.configuration = configuration
    }

    /// What happens from now on, as a stream of its own for each call.
    ///
    /// At most 4,096 events wait in it; when more are dropped, ``Event/refused(_:)`` tells how many. It ends with ``close()``, and
    /// after ``Event/ended(_:)``.
    public func events() -> AsyncStream<Event> {
        streams.add { [weak self] id in Task { await self?.removeStream(id) } }
    }

    private func removeStream(_ id: Int) { streams.remove(id) }

    /// How many sockets it has.
    public var socketCount: Int { accepted.count }

    /// Publishes the service and advertises it; returns when centrals can find it.
    ///
    /// - Throws: ``SocketError``: ``SocketError/Code/bluetoothOff`` when Bluetooth is not on within
    ///   ``SocketConfiguration/openLimit``; ``SocketError/Code/bluetoothAbsent`` when its radio was closed for good;
    ///   ``SocketError/Code/alreadyOpen``; ``SocketError/Code/notPermitted`` when the system does not
    ///   publish; ``SocketError/Code/notConnected`` when it is closed meanwhile; `CancellationError`, and then it is closed.
    public func open() async throws {
        try Task.checkCancellation()
        guard publishing == nil, closing == nil else {
            throw SocketError(
                .alreadyOpen,
                "the listener is open already, or being opened or closed"
            )
        }
        let opened = Promise<Void>()
        let publishing = executor.task(of: self) { await $0.keepPublished(opened) }
        self.publishing = publishing
        do {
            try await opened.wait()
        } catch {
            // It may have been closed, and be opened anew.
            if self.publishing == publishing { await close() }
            throw error
        }
    }

    /// Closes all sockets, of which the other ends are told, and takes the service back; at once when it is closed already.
    public func close() async {
        let closing = closing ?? executor.task(of: self) { await $0.closeAll() }
        self.closing = closing
        await closing.value
    }

    private func closeAll() async {
        await withDiscardingTaskGroup { group in
            for socket in accepted.sockets { group.addTask { await socket.close() } }
        }
        publishing?.cancel()
        await publishing?.value
        publishing = nil
        closing = nil
        streams.finish()
    }
}

// MARK: - The service

extension SocketListener {
    /// How long the system is left alone when it could not publish.
    private static let pause = Duration.seconds(1)

    private func keepPublished(_ opened: Promise<Void>) async {
        var hasOpened = false
        // Without an effect when it has been opened, or when that has failed. Whoever opens it and is cancelled hears of that.
        defer {
            opened.fail(
                SocketError(.notConnected, "the listener was closed while it was opened")
            )
        }
        while !Task.isCancelled {
            do {
                guard try await waitUntilOn(upTo: hasOpened ? nil : configuration.openLimit) else {
                    return hasOpened ? finish() : opened.fail(Self.closed)
                }
                let ended = Promise<SocketError>()
                (number, ending) = (number + 1, ended)
                let publication = try await radio.publish(
                    configuration.gattService,
                    advertising: configuration.advertisement,
                    options: [],
                    responder: ListenerResponder(self, number, configuration)
                )
                self.publication = publication
                hasOpened = true
                opened.fulfil()
                let watching = executor.task(of: self) { await $0.watchRadio(ended) }
                let end = try? await ended.wait()
                watching.cancel()
                loseAll()
                self.publication = nil
                // In a task that nobody cancels, as this one has been.
                guard let end else { return await Task { await publication.withdraw() }.value }
                if end.code == .bluetoothAbsent { return finish() }
                report(.interrupted(end))
            } catch {
                guard !Task.isCancelled else { return }
                guard hasOpened else { return opened.fail(Self.failure(error)) }
                report(.interrupted(Self.failure(error)))
            }
            try? await clock.sleep(for: Self.pause)
        }
    }

    /// Where it is not on in time, publishing says so.
    ///
    /// - Returns: `false` when the radio was closed for good.
    private func waitUntilOn(upTo limit: Duration?) async throws -> Bool {
        let radio = radio
        let isOn: Bool? = try await withTimeLimit(limit ?? .seconds(Int32.max), on: clock) {
            for await state in await radio.states() where state == .on { return true }
            try Task.checkCancellation()
            return false
        }
        return isOn ?? true
    }

    /// A service whose radio the program itself has closed ends without a word.
    private func watchRadio(_ ended: Promise<SocketError>) async {
        for await _ in await radio.states() {}
        if !Task.isCancelled { ended.fulfil(.success(Self.closed)) }
    }

    private static let closed = SocketError(.bluetoothAbsent, "the radio was closed for good")

    private func finish() {
        publishing = nil
        report(.ended(Self.closed))
        streams.finish()
    }

    private static func failure(_ error: any Error) -> SocketError {
        switch (error as? RadioError)?.code {
        case .off?, .absent?, .noService?:
            SocketError(.bluetoothOff, "Bluetooth went off", underlying: error)
        case _?: SocketError(.notPermitted, "the service was not published", underlying: error)
        case nil: SocketError(.bluetoothOff, "Bluetooth was not on", underlying: error)
        }
    }

    private func report(_ event: Event) {
        streams.send(event)
    }

    private func loseAll() {
        for entry in accepted.loseAll() { lose(entry) }
    }

    private func lose(_ socket: Socket) {
        let error = SocketError(.lostConnection, "the other end has left")
        socket.connection.assumeIsolated { $0.report(.lost(error)) }
    }

    // MARK: - What centrals do

    func didPublish(_ publication: any Publication, _ number: Int) {
        if number == self.number { self.publication = publication }
    }

    func didEnd(_ error: RadioError, _ number: Int) {
        guard number == self.number else { return }
        let end = SocketError(
            .lostConnection,
            "the system has ended the service",
            underlying: error
        )
        ending?.fulfil(.success(end))
    }

    func didDisconnect(_ central: PeerID, _ number: Int) {
        guard number == self.number else { return }
        for socket in accepted.lose(central) { lose(socket) }
    }

    /// A central has written a frame.
    func receive(_ frame: [UInt8], from central: PeerID, _ number: Int) {
        guard number == self.number, let publication else { return }
        if case .hello(let hello) = StreamFrame(frame) {
            return receive(hello, frame, from: central, over: publication)
        }
        // What has no label is for nobody here.
        guard let (label, _) = StreamLabel.remove(from: frame),
            let socket = accepted.socket(labelled: label, of: central)
        else { return }
        socket.connection.assumeIsolated { $0.report(.received(frame)) }
    }

    private func receive(
        _ hello: StreamFrame.Hello,
        _ frame: [UInt8],
        from central: PeerID,
        over publication: any Publication
    ) {
        if !accepted.contains(hello.session) {
            if let reason = reasonToRefuse(hello) {
                return refuse(hello.session, reason, publication)
            }
            begin(hello.session)
        }
        // It says hello again, also when the connection of the one before is lost at last.
        guard accepted.mayLink(hello.session, to: central) else { return }
        if let socket = accepted.link(hello.session, to: central) {
            let channel = channel(to: central, publication)
            socket.connection.assumeIsolated { $0.report(.opened(channel)) }
        }
        pass(frame, to: hello.session)
    }

    private func reasonToRefuse(_ hello: StreamFrame.Hello) -> StreamReset? {
        if closing != nil { return .closed }
        if hello.isKnown { return .unknownSession }
        return accepted.canTake(hello.session, of: maximumSocketCount) ? nil : .full
    }

    private func pass(_ frame: [UInt8], to session: UInt64) {
        accepted[session]?.connection.assumeIsolated { $0.report(.received(frame)) }
    }

    private func refuse(
        _ session: UInt64,
        _ reason: StreamReset,
        _ publication: any Publication
    ) {
        // It would end the session that has the same label. Who is not told says hello again.
        guard !accepted.hasLabel(of: session), refusalCount < Self.maximumRefusalCount else {
            return
        }
        let frame = StreamLabel(session: session).added(to: StreamFrame.reset(reason).bytes)
        let notify = configuration.notifyID(of: .stream)
        refusalCount += 1
        executor.task(of: self) { listener in
            try? await publication.update(notify, to: frame)
            listener.refusalCount -= 1
        }
    }

    private func begin(_ session: UInt64) {
        let socket = Socket(acceptedBy: self)
        guard let opened = try? socket.assumeIsolated({ try $0.beginOpening() }) else { return }
        accepted.insert(socket, session)
        executor.task(of: self) { listener in
            do {
                try await opened.wait()
                listener.report(.accepted(socket))
            } catch {
                let failure = error as? SocketError
                listener.report(.refused(failure ?? Self.failure(error)))
                await socket.close()
            }
        }
    }

    private func channel(to central: PeerID, _ publication: any Publication) -> PacketChannel {
        let notify = configuration.notifyID(of: .stream)
        return PacketChannel(
            number: accepted.nextChannelNumber(),
            transport: .stream,
            mtuBytes: { await publication.mtuBytes(of: central) ?? 23 },
            transmit: { try await publication.update(notify, to: $0) }
        )
    }

    // MARK: - What sockets do

    /// A socket is over.
    func remove(_ socket: Socket) {
        accepted.remove(socket)
    }

    /// A socket has given up its connection, and waits for another hello.
    func drop(_ socket: Socket) {
        guard accepted.drop(socket) else { return }
        lose(socket)
    }
}
