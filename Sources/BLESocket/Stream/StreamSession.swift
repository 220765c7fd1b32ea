/// One end of a stream of bytes over links that may end: events go in, actions and frames come out.
///
/// Each link begins with a central's hello, and the peripheral's reply. The first begins the session; over a later
/// link it goes on with what the other end has not confirmed. Each direction has an end of its own, and the
/// session is over when both ends have all.
///
/// Whoever has the link takes frames with ``nextFrame(upTo:at:)`` as fast as the radio takes them.
///
/// Time is a duration since any moment that does not change.
struct StreamSession: Sendable {
    /// What happened.
    enum Event: Hashable, Sendable {
        /// There is a link.
        case linked
        /// The link has ended.
        case unlinked
        /// A frame came.
        case received([UInt8])
        /// Whoever reads has taken so many bytes.
        case consumed(Int)
        /// Nothing more is written.
        case finish
        /// The session is over at once.
        case close
        /// The time of ``deadline`` has come.
        case time
    }

    /// What is to be done.
    enum Action: Sendable {
        /// The other end has said hello, for the first time or over another link.
        case opened(isResumed: Bool)
        /// Bytes came.
        case deliver([UInt8])
        /// The other end sends no more.
        case ended
        /// The other end has so many of the bytes that were written.
        case confirmed(UInt64)
        /// The link is of no use any more.
        case dropLink(SocketError)
        /// The session is over; without an error when both ends have all, or when it was closed here.
        /// ``nextFrame(upTo:at:)`` may have one more frame.
        case close(SocketError?)
    }

    enum State {
        /// Since the other end was there last, or since the beginning.
        case unlinked(since: Duration)
        case greeting(since: Duration, nextHello: Duration)
        case open
        /// Both ends have all; the other end may not know it yet.
        case lingering(until: Duration)
        case closed
    }

    let configuration: StreamConfiguration
    let isCentral: Bool
    var session: UInt64?
    var state: State
    var sender = StreamSender()
    var receiver: StreamReceiver
    /// Whether the other end has ever said hello.
    var isKnown = false
    /// Whether frames are labelled, as others share the characteristic.
    var isLabelled: Bool
    var reportedConfirmed: UInt64 = 0
    var hasReportedEnd = false

    var lastHeard = Duration.zero
    /// Since when no link has brought a hello: since the end of the last one that did.
    var absentSince: Duration
    /// When the other end was last asked what has come there.
    var lastAsked = Duration.zero
    /// It is to be asked with the next acknowledgement.
    var isAsking = false
    var isHelloDue = false
    /// When the other end is to be told what has come.
    var acknowledgementTime: Duration?
    /// Whether that time has come: it goes out as soon as the link takes a frame, and no time is waited for.
    var isAcknowledgementDue = false
    var unacknowledgedFrameCount = 0
    /// What the other end is told last.
    var lastFrame: StreamFrame?
    /// Whether this end has ended the session, of which the other one is told by ``lastFrame``.
    var hasReset = false

    /// - Parameters:
    ///   - session: a central's own, chosen at random; `nil` for a peripheral.
    ///   - configuration: the limits.
    ///   - now: the time.
    init(
        session: UInt64?,
        configuration: StreamConfiguration = StreamConfiguration(),
        at now: Duration
    ) {
        self.configuration = configuration
        isCentral = session != nil
        isLabelled = configuration.isShared
        self.session = session
        state = .unlinked(since: now)
        absentSince = now
        receiver = StreamReceiver(
            windowByteCount: configuration.windowByteCount,
            maximumWindowByteCount: configuration.maximumWindowByteCount
        )
    }

    /// Whether the other end has this session alone, so that nobody else of this machine may have anything to say to it.
    var isAlone: Bool {
        if case .open = state { !isLabelled } else { false }
    }

    var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    /// How many bytes ``write(_:)`` takes at present.
    var writableByteCount: Int {
        sender.isEnded || isClosed ? 0 : sender.writableByteCount
    }

    /// Adds bytes to what is sent, as many as there is room for.
    ///
    /// - Returns: how many were taken, from the first on.
    mutating func write(_ bytes: [UInt8]) -> Int {
        let count = min(bytes.count, writableByteCount)
        if count > 0 { sender.append(Array(bytes.prefix(count))) }
        return count
    }

    /// When ``Event/time`` is to come; `nil` for never.
    var deadline: Duration? {
        switch state {
        case .unlinked(let since): since + absenceLimit
        case .greeting(let since, let nextHello): min(since + configuration.helloLimit, nextHello)
        case .open:
            .earliest(
                sender.deadline,
                isAcknowledgementDue ? nil : acknowledgementTime,
                lifeDeadline
            )
        case .lingering(let time): time
        case .closed: nil
        }
    }

    /// When the other end is asked again, or given up.
    var lifeDeadline: Duration { min(askTime, lastHeard + configuration.silenceLimit) }

    /// When the other end is to be asked what has come there: what it said of its window may be lost.
    var askTime: Duration {
        max(lastHeard, lastAsked)
            + (sender.isBlocked ? configuration.probeInterval : configuration.keepAliveInterval)
    }

    /// Takes what happened.
    ///
    /// - Parameters:
    ///   - event: what happened.
    ///   - now: the time; never before that of the event before.
    /// - Returns: what is to be done, in order.
    mutating func handle(_ event: Event, at now: Duration) -> [Action] {
        guard !isClosed else { return [] }
        switch event {
        case .linked:
            link(at: now)
            return []
        case .unlinked:
            return unlink(at: now)
        case .received(let bytes):
            return receive(bytes, at: now)
        case .consumed(let byteCount):
            receiver.consume(byteCount)
            if receiver.hasNewLimit { acknowledge(by: now) }
            return []
        case .finish:
            sender.finish()
            return []
        case .close:
            return reset(.closed, nil)
        case .time:
            return passTime(now)
        }
    }
}
