import BLETesting

@testable import BLESocket

/// Two ends of a stream, and links between them that lose, repeat and reorder frames, and end.
struct SimulatedStreamLink {
    /// What can happen to frames and links, each of so many in a thousand.
    struct Weather: Sendable {
        var loss = 0
        var repetition = 0
        var linkEnd = 0
        /// After which frame the first link ends: the last that was sent, which is lost; or the last that came.
        var lastSent: Int?
        var lastReceived: Int?
        /// The peripheral has other sessions, whose frames the central hears as well.
        var isShared = false
        /// A frame is on its way for so long, chosen for each: they overtake each other.
        var latency: ClosedRange<Duration> = .milliseconds(5)...(.milliseconds(5))
        /// How many bytes a link carries at once.
        var byteCount = 182
        /// How many bytes it carries each way in a second, and others wait; `nil` for any number.
        var byteRate: Int?
    }

    /// One of the two ends, and who writes and reads there.
    struct End {
        var session: StreamSession
        let bytes: [UInt8]
        var writtenCount = 0
        var read: [UInt8] = []
        var unread = 0
        var confirmedCount: UInt64 = 0
        var hasEnded = false
        var wasFinished = false
        /// How it was closed; `nil` before.
        var outcome: SocketError??
        var openCount = 0
    }

    private struct Frame {
        let time: Duration
        let link: Int
        let toCentral: Bool
        let bytes: [UInt8]
    }

    var weather: Weather
    private(set) var central: End
    private(set) var peripheral: End
    private(set) var now = Duration.zero
    private(set) var frameCount = 0
    private(set) var receivedCount = 0
    /// How long what the central wrote took to arrive, and when it was written.
    private(set) var delays: [(time: Duration, delay: Duration)] = []
    /// Up to which byte the central wrote, and when, of what has not arrived.
    private var writes: [(end: Int, time: Duration)] = []
    /// When the link has carried all, each way.
    private var busyUntil: [Bool: Duration] = [:]
    private var random: SeededGenerator
    private var frames: [Frame] = []
    /// The present link; links have different numbers.
    private var link = 0
    private var isLinked = false
    private var linkTime = Duration.zero
    /// How fast each end reads, at a time.
    private var readByteCount: Int

    init(
        seed: UInt64,
        byteCounts: (toPeripheral: Int, toCentral: Int),
        weather: Weather,
        configuration: StreamConfiguration = StreamConfiguration()
    ) {
        random = SeededGenerator(seed: seed)
        self.weather = weather
        let session = UInt64.random(in: 0...UInt64.max, using: &random)
        func bytes(_ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 31) ^ ($0 >> 8)) }
        }
        central = End(
            session: StreamSession(session: session, configuration: configuration, at: .zero),
            bytes: bytes(byteCounts.toPeripheral)
        )
        var shared = configuration
        shared.isShared = weather.isShared
        peripheral = End(
            session: StreamSession(session: nil, configuration: shared, at: .zero),
            bytes: bytes(byteCounts.toCentral)
        )
        readByteCount = Int.random(in: 100...20_000, using: &random)
    }

    /// Whether both ends were closed.
    var isOver: Bool { central.outcome != nil && peripheral.outcome != nil }

    /// Whether each end has what the other one wrote.
    var isComplete: Bool {
        central.read == peripheral.bytes && peripheral.read == central.bytes
    }

    /// Plays until both ends are closed, or for a time.
    mutating func play(upTo limit: Duration) {
        while !isOver, now < limit {
            connectIfDue()
            for isCentral in [true, false] { useEnd(isCentral) }
            passTime(limit)
        }
    }

    private mutating func connectIfDue() {
        guard !isLinked, canLink, now >= linkTime else { return }
        isLinked = true
        link += 1
        handle(.linked, true)
        handle(.linked, false)
    }

    private var canLink: Bool { central.outcome == nil && peripheral.outcome == nil }

    private mutating func endLink() {
        guard isLinked else { return }
        isLinked = false
        busyUntil = [:]
        linkTime = now + .milliseconds(Int.random(in: 1...3_000, using: &random))
        handle(.unlinked, true)
        handle(.unlinked, false)
    }

    /// Whoever uses an end writes and reads; then it sends.
    private mutating func useEnd(_ isCentral: Bool) {
        write(isCentral)
        let end = self[isCentral]
        if end.outcome == nil, end.writtenCount == end.bytes.count, !end.wasFinished {
            change(isCentral) { $0.wasFinished = true }
            handle(.finish, isCentral)
        }
        let count = min(self[isCentral].unread, readByteCount)
        if count > 0 {
            change(isCentral) { $0.unread -= count }
            handle(.consumed(count), isCentral)
        }
        sendFrames(isCentral)
    }

    private mutating func write(_ isCentral: Bool) {
        let before = self[isCentral].writtenCount
        change(isCentral) { end in
            guard end.outcome == nil else { return }
            let rest = Array(end.bytes.dropFirst(end.writtenCount).prefix(8_192))
            end.writtenCount += end.session.write(rest)
        }
        if isCentral, central.writtenCount > before {
            writes.append((central.writtenCount, now))
        }
    }

    private mutating func sendFrames(_ isCentral: Bool) {
        // What a radio takes at once.
        for _ in 0..<20 where isLinked {
            var frame: [UInt8]?
            let (byteCount, time) = (weather.byteCount, now)
            write(isCentral)
            change(isCentral) { frame = $0.session.nextFrame(upTo: byteCount, at: time) }
            guard let frame else { return }
            frameCount += 1
            precondition(frame.count <= weather.byteCount, "a frame is too long")
            guard !happens(weather.loss) else { continue }
            send(frame, toCentral: !isCentral)
            if happens(weather.repetition) { send(frame, toCentral: !isCentral) }
            if weather.isShared, !isCentral { send(ofAnother(frame), toCentral: true) }
            if happens(weather.linkEnd) || weather.lastSent == frameCount { endLink() }
        }
    }

    /// The same frame of another session, a part of which that byte is both in a hello and in a label.
    private func ofAnother(_ frame: [UInt8]) -> [UInt8] {
        var frame = frame
        frame[2] ^= 1
        return frame
    }

    private mutating func send(_ frame: [UInt8], toCentral: Bool) {
        let span = Int((weather.latency.upperBound - weather.latency.lowerBound) / .microseconds(1))
        let latency =
            weather.latency.lowerBound + .microseconds(Int.random(in: 0...span, using: &random))
        var sent = now
        if let rate = weather.byteRate {
            sent =
                max(now, busyUntil[toCentral] ?? now) + .seconds(Double(frame.count) / Double(rate))
            busyUntil[toCentral] = sent
        }
        frames.append(Frame(time: sent + latency, link: link, toCentral: toCentral, bytes: frame))
    }

    private mutating func passTime(_ limit: Duration) {
        let deadlines = [central.session.deadline, peripheral.session.deadline].compactMap(\.self)
        var next = min(frames.map(\.time).min() ?? limit, deadlines.min() ?? limit)
        if !isLinked, canLink { next = min(next, linkTime) }
        if central.unread + peripheral.unread > 0 { next = min(next, now + .milliseconds(10)) }
        now = max(now, next)
        let due = frames.filter { $0.time <= now }
        frames.removeAll { $0.time <= now }
        for frame in due.sorted(by: { $0.time < $1.time })
        where frame.link == link && isLinked {
            receivedCount += 1
            handle(.received(frame.bytes), frame.toCentral)
            if weather.lastReceived == receivedCount { endLink() }
        }
        for isCentral in [true, false] {
            if let deadline = self[isCentral].session.deadline, deadline <= now {
                handle(.time, isCentral)
            }
        }
    }

    private mutating func happens(_ rate: Int) -> Bool {
        rate > 0 && Int.random(in: 0..<1_000, using: &random) < rate
    }

    private mutating func measureDelays() {
        let arrived = writes.prefix { $0.end <= peripheral.read.count }
        delays += arrived.map { ($0.time, now - $0.time) }
        writes.removeFirst(arrived.count)
    }

    private subscript(isCentral: Bool) -> End { isCentral ? central : peripheral }

    private mutating func change(_ isCentral: Bool, _ work: (inout End) -> Void) {
        if isCentral { work(&central) } else { work(&peripheral) }
    }

    private mutating func handle(_ event: StreamSession.Event, _ isCentral: Bool) {
        var actions: [StreamSession.Action] = []
        let time = now
        change(isCentral) { actions = $0.session.handle(event, at: time) }
        for action in actions {
            switch action {
            case .opened: change(isCentral) { $0.openCount += 1 }
            case .deliver(let bytes):
                change(isCentral) {
                    $0.read += bytes
                    $0.unread += bytes.count
                }
                if !isCentral { measureDelays() }
            case .ended: change(isCentral) { $0.hasEnded = true }
            case .confirmed(let count): change(isCentral) { $0.confirmedCount = count }
            case .dropLink: endLink()
            case .close(let error):
                sendFrames(isCentral)
                change(isCentral) { $0.outcome = .some(error) }
            }
        }
    }
}
