/// How many bytes of a stream may be on their way: enough that its link is in use all the time, and few enough that what is
/// written next does not wait long behind them.
///
/// A round trip that takes longer than the shortest one has met a queue, of a radio or of a program. A queue of half a
/// round trip is wanted, as the link is never without work then; every second round trip the flight grows or shrinks
/// towards that.
///
/// Source: after LEDBAT, RFC 6817, and the periodic slowdowns of LEDBAT++, draft-irtf-iccrg-ledbat-plus-plus.
struct FlightControl: Sendable {
    private static let initialByteCount = 4 * 1_024
    private static let minimumByteCount = 1_024
    private static let maximumByteCount = 128 * 1_024
    /// How much more is tried, once a queue was met.
    ///
    /// As all grow by the same, and shrink by a part, those that share a link come to have as much of it each.
    private static let growthByteCount = 1_024
    /// The shortest queue that is wanted: below that, it may be the machine that is slow at times.
    private static let minimumQueue = Duration.milliseconds(4)
    /// How long the shortest round trip counts.
    private static let baseLimit = Duration.seconds(10)

    private var flightByteCount = Self.initialByteCount
    /// Whether the flight has never met a queue.
    private var isStarting = true
    /// Whether the flight was as great as it may be, in this round.
    private var wasFull = false
    /// The shortest round trip of late, when it was measured, and whether the other end confirmed at once then.
    private var base: (time: Duration, measured: Duration, isConfirmedAtOnce: Bool)?
    /// The shortest round trip of what was sent since the flight was changed last.
    private var shortest: Duration?
    /// Whether the other end has confirmed at once since then, as so much had come.
    private var isConfirmedAtOnce = false
    /// The last transmission before the flight was changed last.
    private var changeNumber = 0
    /// When a transmission after this one has come, the flight is changed again; `nil` until one has come since the last change.
    private var roundNumber: Int?
    /// Transmissions after this one are so few that they meet no queue: how long they take is the shortest round trip.
    private var probeNumber: Int?

    /// How many bytes may be on their way, beyond the few frames that always may.
    var byteCount: Int { probeNumber == nil ? flightByteCount : 0 }

    /// More could have been sent than may be on its way.
    mutating func fill() {
        wasFull = true
    }

    /// Transmissions have come.
    ///
    /// - Parameters:
    ///   - count: how many.
    ///   - number: the latest of them, by which all are numbered in order.
    ///   - time: how long that one and its confirmation took; `nil` when it was not the first of its bytes.
    ///   - lastNumber: the latest that was sent.
    ///   - now: the time.
    mutating func confirm(
        _ count: Int,
        upTo number: Int,
        after time: Duration?,
        lastNumber: Int,
        at now: Duration
    ) {
        if let probeNumber, number > probeNumber, let time {
            self.probeNumber = nil
            base = (time, now, false)
        }
        guard number > changeNumber else { return }
        if let time { shortest = min(shortest ?? time, time) }
        if count >= StreamConfiguration.acknowledgementFrameCount { isConfirmedAtOnce = true }
        guard let roundNumber else { return self.roundNumber = lastNumber }
        guard number > roundNumber, let shortest else { return }
        change(after: shortest, at: now)
        changeNumber = lastNumber
        self.roundNumber = nil
        self.shortest = nil
        isConfirmedAtOnce = false
        wasFull = false
        if let base, now - base.measured > Self.baseLimit, probeNumber == nil {
            probeNumber = lastNumber
        }
    }

    private mutating func change(after roundTrip: Duration, at now: Duration) {
        guard let base, roundTrip > base.time else {
            base = (roundTrip, now, isConfirmedAtOnce)
            if wasFull { grow() }
            return
        }
        // Few frames are confirmed later than many: how long they have waited in a queue is not known.
        guard isConfirmedAtOnce || !base.isConfirmedAtOnce else {
            if wasFull { grow() }
            return
        }
        let shortest = base.time
        let wanted = max(shortest / 2, Self.minimumQueue)
        let queue = roundTrip - shortest
        if queue > wanted {
            let part = (shortest + wanted) / roundTrip
            flightByteCount = max(Int(Double(flightByteCount) * part), Self.minimumByteCount)
            isStarting = false
        } else if wasFull {
            if queue > wanted / 2 { isStarting = false }
            grow()
        }
    }

    private mutating func grow() {
        let step = isStarting ? flightByteCount : Self.growthByteCount
        flightByteCount = min(flightByteCount + step, Self.maximumByteCount)
    }

    /// Transmissions were lost, which may be as the link carries no more.
    mutating func lose() {
        flightByteCount = max(flightByteCount / 2, Self.minimumByteCount)
        isStarting = false
    }
}
