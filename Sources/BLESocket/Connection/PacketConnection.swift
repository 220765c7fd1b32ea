internal import BLE
internal import BLESession

/// What carries packets to another device, and from it: for each transport a characteristic in each direction.
///
/// It runs on the radio's executor, as its socket does, and tells it what happens there and then.
actor PacketConnection {
    /// Over what the other end is reached.
    enum Role {
        case peripheral(any PeripheralRadio)
        case central(any CentralRadio, PeerID?)
        /// A listener has the radio, and other connections; it is told when this one is over.
        case accepted(SocketListener)

        fileprivate var stateDelay: Duration {
            let radio: Any? =
                switch self {
                case .peripheral(let radio): radio
                case .central(let radio, _): radio
                case .accepted: nil
                }
            return (radio as? any DelayedRadioState)?.stateDelay ?? .zero
        }
    }

    /// What happens, in order.
    enum Event: Sendable {
        /// Centrals can find it; once for each time that it waits for one.
        case advertised
        case opened(PacketChannel)
        case received([UInt8])
        case failedToReceive(SocketError)
        /// The other end is lost; another ``opened(_:)`` follows, or ``closed(_:)``.
        case lost(SocketError)
        /// Without an error when it was closed here.
        case closed(SocketError?)
    }

    let role: Role
    let configuration: SocketConfiguration
    let executor: any RadioExecutor
    let clock: any Clock<Duration>
    private let time: @Sendable () -> Duration
    /// How long after the end of a connection the radio may turn out to be off.
    let stateDelay: Duration
    private weak var socket: Socket?
    /// How often the other end was connected.
    private var channelCount = 0
    /// Whether it goes on after a loss: the socket asks for that where a stream can be resumed.
    var resumes = false {
        didSet { machine.resumes = resumes }
    }
    /// Whether a peripheral opens again when it is over: the socket asks for that once it is open, until it is closed here.
    var reconnects = false {
        didSet { machine.reconnects = reconnects }
    }

    // A peripheral's.
    var machine: ListeningSocket
    var publication: (any Publication)?
    /// How often it was asked to be published.
    var publicationNumber = 0
    var advertising: (any Advertising)?
    /// Whether it was told that it is advertised, since it waits for a central.
    var hasToldOfAdvertising = false
    var watching: Task<Void, Never>?
    var operations: AsyncStream<Operation>.Continuation?
    private var deadline: (time: Duration, timer: Deadline)?
    // That of a listener.
    private var isAccepted = false
    /// Whether its listener has it no longer.
    private(set) var hasLeft = false
    // A central's.
    var connecting: Task<Void, Never>?
    var link: (any Link)?

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    init(
        _ role: Role,
        _ configuration: SocketConfiguration,
        on executor: any RadioExecutor,
        clock: any Clock<Duration>
    ) {
        self.role = role
        self.configuration = configuration
        self.executor = executor
        self.clock = clock
        time = clock.stopwatch()
        stateDelay = role.stateDelay
        machine = ListeningSocket(
            openLimit: configuration.openLimit,
            advertisingInterval: configuration.advertisingInterval,
            stateDelay: stateDelay
        )
    }

    deinit {
        operations?.finish()
        watching?.cancel()
        connecting?.cancel()
    }

    nonisolated var isCentral: Bool {
        if case .central = role { true } else { false }
    }

    /// Whether what is sent would reach nobody.
    var isLeaving: Bool { machine.isLeaving }

    /// Whether nothing is under way.
    var isIdle: Bool { machine.isIdle && connecting == nil && !isAccepted }

    /// Whether others share the characteristic.
    nonisolated var isShared: Bool {
        if case .accepted = role { true } else { false }
    }

    /// Opens it, and tells a socket what happens.
    func open(for socket: Socket) {
        self.socket = socket
        reconnects = false
        switch role {
        case .peripheral(let radio): listen(on: radio)
        case .central(let radio, let peer): connect(over: radio, to: peer)
        case .accepted: isAccepted = true
        }
    }

    /// Closes it: the other end notices.
    ///
    /// Returns when the system has taken the service or the link back; at once when it is closed already.
    func close() async {
        resumes = false
        switch role {
        case .peripheral: await stopListening()
        case .central: await disconnect()
        case .accepted(let listener): leave(listener)
        }
    }

    private func leave(_ listener: SocketListener) {
        guard isAccepted else { return }
        isAccepted = false
        hasLeft = true
        if let socket { listener.assumeIsolated { $0.remove(socket) } }
        report(.closed(nil))
    }

    /// Closes it when a stream is over: a central leaves, and the service goes.
    ///
    /// - Parameter isTold: whether the other end knows that, so that a service goes when it has left.
    func finish(isTold: Bool) {
        resumes = false
        switch role {
        case .peripheral: handle(isTold ? .finish : .giveUp)
        case .central: connecting?.cancel()
        case .accepted(let listener): leave(listener)
        }
    }

    /// Gives up the other end, which is to be connected to anew.
    func dropLink() async {
        switch role {
        case .peripheral: handle(.drop)
        case .central: await link?.disconnect()
        case .accepted(let listener):
            if let socket { await listener.drop(socket) }
        }
    }

    var now: Duration { time() }

    func nextChannelNumber() -> Int {
        channelCount += 1
        return channelCount
    }

    func report(_ event: Event) {
        socket?.assumeIsolated { $0.handle(event) }
    }

    /// Measures the time until what is next for a peripheral.
    func arm() {
        let next = machine.deadline
        guard deadline?.time != next else { return }
        deadline?.timer.cancel()
        deadline = next.map { next in
            let timer = Deadline(after: max(next - now, .zero), on: clock, of: self) { connection in
                connection.deadline = nil
                connection.handle(.time)
            }
            return (next, timer)
        }
    }
}

/// The other end of a connection, while it is connected.
struct PacketChannel: Sendable {
    typealias Transmission = @Sendable ([UInt8]) async throws -> Void

    /// A way to transmit that others have not, and how many bytes it takes at once.
    struct ExclusiveAccess: Sendable {
        let maximumByteCount: Int
        let transmit: Transmission
    }

    /// Which one of its connection's this is.
    let number: Int
    let transport: SocketTransport
    let mtuBytes: @Sendable () async -> Int
    private(set) var transmit: Transmission
    /// What it takes at once, also when the MTU has grown since it was acquired.
    private var maximumByteCount = Int.max
    /// A faster way to transmit, which locks other programs of this machine out; asked for once.
    private var acquireExclusiveAccess: (@Sendable () async -> ExclusiveAccess?)?

    init(
        number: Int,
        transport: SocketTransport,
        mtuBytes: @escaping @Sendable () async -> Int,
        transmit: @escaping Transmission,
        acquireExclusiveAccess: (@Sendable () async -> ExclusiveAccess?)? = nil
    ) {
        self.number = number
        self.transport = transport
        self.mtuBytes = mtuBytes
        self.transmit = transmit
        self.acquireExclusiveAccess = acquireExclusiveAccess
    }

    /// Whether others could be locked out.
    var canBeExclusive: Bool { acquireExclusiveAccess != nil }

    /// The same channel, from which others are locked out where the system has such a way.
    func exclusive() async -> PacketChannel {
        var channel = self
        channel.acquireExclusiveAccess = nil
        if let access = await acquireExclusiveAccess?() {
            channel.transmit = access.transmit
            channel.maximumByteCount = access.maximumByteCount
        }
        return channel
    }

    /// How many bytes a packet has.
    var packetByteCount: Int {
        get async { await min(Self.packetByteCount(mtuBytes: mtuBytes()), maximumByteCount) }
    }

    /// How many bytes arrive whole, whatever the systems at both ends.
    ///
    /// ATT carries MTU − 3 and 512 at most. bluetoothd cuts notifications to another bluetoothd to MTU − 5, refuses
    /// requests of more than 510, and loses longer commands.
    static func packetByteCount(mtuBytes: Int) -> Int { min(mtuBytes - 5, 508) }
}
