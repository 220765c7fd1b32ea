internal import DequeModule

/// The bytes of a stream that are sent, until the other end has them.
///
/// What is lost is sent again: bytes after which others, sent later, have come, or which the other end did not
/// confirm in time.
struct StreamSender: Sendable {
    /// Bytes that are on their way.
    private struct Segment {
        let range: Range<UInt64>
        /// Which transmission this was, in order.
        let number: Int
        let time: Duration
        /// Whether it was not sent before, so that its confirmation says how long one takes.
        let isFirst: Bool
    }

    /// How many later ones may come first: write commands overtake each other.
    private static let overtakingCount = 16
    /// How many frames may always be on their way.
    private static let minimumFlightCount = 4
    /// How many bytes wait to be sent at most: one packet and more, as whoever writes them takes a moment to write the next.
    private static let minimumBacklogByteCount = 1_024
    private static let maximumBacklogByteCount = 8 * 1_024
    /// Fewer than the 256 notifications that may wait for whoever has a link, which ends beyond that.
    private static let maximumFlightCount = 128
    /// How many bytes may have been sent from the first on that is not confirmed, whatever the other end takes: they are kept
    /// until it is, also those of which it says that they came beyond.
    private static let maximumUnconfirmedByteCount: UInt64 = 256 * 1_024

    /// The first byte that the other end has not confirmed.
    private(set) var confirmed: UInt64 = 0
    /// The first byte that has not been sent.
    private var next: UInt64 = 0
    /// Up to where the other end takes bytes.
    private var limit: UInt64 = 0
    /// From ``confirmed`` on.
    private var buffer: Deque<UInt8> = []
    /// In the order of their transmissions.
    private var segments: [Segment] = []
    private var inFlightByteCount = 0
    /// What is to be sent again, in ascending order.
    private var lost: [Range<UInt64>] = []
    private var lastNumber = 0
    /// The latest of the transmissions that came.
    private var latestNumber = 0
    /// Losses of transmissions up to this one are one loss.
    private var recoveryNumber = 0
    private(set) var timer = RetransmissionTimer()
    private var flight = FlightControl()

    private(set) var isEnded = false
    /// When the other end was told where the stream ends.
    private var endTime: Duration?
    private(set) var isEndConfirmed = false

    /// Where the stream ends, or would.
    private var end: UInt64 { confirmed + UInt64(buffer.count) }

    /// How many bytes can be added: none while enough wait to be sent, as what is written after them waits as long.
    var writableByteCount: Int {
        let limit = min(
            max(flight.byteCount / 4, Self.minimumBacklogByteCount),
            Self.maximumBacklogByteCount
        )
        let backlog = Int(end - next)
        return backlog <= limit / 2 ? limit - backlog : 0
    }

    /// Whether bytes wait that the other end does not take.
    var isBlocked: Bool { lost.isEmpty && next < end && next >= limit }

    /// When it is to be looked at what has not been confirmed; `nil` when nothing is on its way.
    var deadline: Duration? {
        (segments.first?.time ?? endTime).map { $0 + timer.limit }
    }

    mutating func append(_ bytes: [UInt8]) {
        buffer.append(contentsOf: bytes)
    }

    /// There are no more bytes than those that were appended.
    mutating func finish() {
        isEnded = true
    }

    // MARK: - What the other end says

    /// Whether the other end has at least what it has confirmed: over an earlier link, it may have been somebody else.
    func hasConfirmed(noMoreThan received: UInt32) -> Bool {
        let least = confirmed + (isEndConfirmed ? 1 : 0)
        return received.offset(near: confirmed).map { $0 >= least } ?? false
    }

    /// A new link: what was on its way is lost.
    ///
    /// - Returns: whether the other end may say so.
    mutating func resume(
        from received: UInt32,
        limit: UInt32,
        at now: Duration
    ) -> Bool {
        guard confirm(received, at: now), raise(limit) else { return false }
        segments = []
        inFlightByteCount = 0
        lost = confirmed < next ? [confirmed..<next] : []
        endTime = nil
        timer.reset()
        flight = FlightControl()
        return true
    }

    /// Takes what the other end says has come.
    ///
    /// - Returns: whether it may say so.
    mutating func receive(_ acknowledgement: StreamFrame.Acknowledgement, at now: Duration) -> Bool
    {
        guard confirm(acknowledgement.received, at: now), raise(acknowledgement.limit) else {
            return false
        }
        for piece in acknowledgement.pieces {
            guard let start = piece.offset.offset(near: confirmed),
                start + UInt64(piece.byteCount) <= next
            else { return false }
            take(start..<start + UInt64(piece.byteCount), at: now)
        }
        findLost()
        return true
    }

    /// - Returns: `false` for what was never sent.
    private mutating func confirm(_ received: UInt32, at now: Duration) -> Bool {
        guard var received = received.offset(near: confirmed) else { return false }
        if isEnded, next == end, received == end + 1 {
            isEndConfirmed = true
            endTime = nil
            received = end
        }
        guard received <= next else { return false }
        // One that others have overtaken.
        guard received > confirmed else { return true }
        let byteCount = Int(received - confirmed)
        take(0..<received, at: now)
        buffer.removeFirst(byteCount)
        confirmed = received
        lost = lost.flatMap { $0.subtracting(0..<received) }
        return true
    }

    /// The other end has all.
    mutating func confirmAll() {
        confirmed = end
        buffer = []
        segments = []
        inFlightByteCount = 0
        lost = []
        endTime = nil
        isEndConfirmed = true
    }

    private mutating func raise(_ limit: UInt32) -> Bool {
        guard let limit = limit.offset(near: confirmed) else { return false }
        self.limit = max(self.limit, min(limit, confirmed + Self.maximumUnconfirmedByteCount))
        return true
    }

    /// What was on its way has come.
    private mutating func take(_ range: Range<UInt64>, at now: Duration) {
        var latest: Segment?
        let count = segments.count
        segments.removeAll { segment in
            guard range.contains(segment.range.lowerBound),
                segment.range.upperBound <= range.upperBound
            else { return false }
            latestNumber = max(latestNumber, segment.number)
            inFlightByteCount -= segment.range.count
            if segment.isFirst { timer.add(now - segment.time) }
            latest = segment
            return true
        }
        if let latest {
            flight.confirm(
                count - segments.count,
                upTo: latest.number,
                after: latest.isFirst ? now - latest.time : nil,
                lastNumber: lastNumber,
                at: now
            )
        }
        lost = lost.flatMap { $0.subtracting(range) }
    }

    /// What later ones have overtaken by far is lost.
    private mutating func findLost() {
        let overtaken = segments.filter { $0.number + Self.overtakingCount < latestNumber }
        guard !overtaken.isEmpty else { return }
        lose(overtaken)
    }

    /// The time of ``deadline`` has come.
    mutating func passTime(_ now: Duration) {
        guard let deadline, deadline <= now else { return }
        timer.backOff()
        endTime = nil
        lose(segments)
    }

    private mutating func lose(_ segments: [Segment]) {
        let numbers = Set(segments.map(\.number))
        inFlightByteCount -= segments.reduce(0) { $0 + $1.range.count }
        self.segments.removeAll { numbers.contains($0.number) }
        // A part may have been sent again, and have come.
        let rest = segments.flatMap { $0.range.subtracting(0..<confirmed) }
        lost = Range.joining(lost + rest)
        guard let last = numbers.max(), last > recoveryNumber else { return }
        recoveryNumber = lastNumber
        flight.lose()
    }

    // MARK: - What is sent

    /// The next bytes to send, of at most so many; `nil` for none at present.
    mutating func nextSegment(upTo byteCount: Int, at now: Duration) -> (offset: UInt32, [UInt8])? {
        guard byteCount > 0 else { return nil }
        guard mayHaveMore else {
            let isWaiting = !lost.isEmpty || next < min(end, limit)
            if isWaiting, inFlightByteCount >= flight.byteCount { flight.fill() }
            return nil
        }
        let range: Range<UInt64>
        let isFirst = lost.isEmpty
        if let first = lost.first {
            range = first.lowerBound..<min(first.upperBound, first.lowerBound + UInt64(byteCount))
            lost[0] = range.upperBound..<first.upperBound
            if lost[0].isEmpty { lost.removeFirst() }
        } else {
            let upperBound = min(end, limit, next + UInt64(byteCount))
            guard upperBound > next else { return nil }
            range = next..<upperBound
            next = upperBound
        }
        lastNumber += 1
        segments.append(Segment(range: range, number: lastNumber, time: now, isFirst: isFirst))
        inFlightByteCount += range.count
        let start = Int(range.lowerBound - confirmed)
        return (UInt32(offset: range.lowerBound), Array(buffer[start..<start + range.count]))
    }

    /// Whether more may be on its way.
    private var mayHaveMore: Bool {
        segments.count < Self.maximumFlightCount
            && (inFlightByteCount < flight.byteCount || segments.count < Self.minimumFlightCount)
    }

    /// Where the stream ends, when the other end is to be told that now.
    mutating func nextEnd(at now: Duration) -> UInt32? {
        guard isEnded, !isEndConfirmed, endTime == nil, next == end, lost.isEmpty else {
            return nil
        }
        endTime = now
        return UInt32(offset: end)
    }
}

extension Range<UInt64> {
    /// What of this range is not in another one.
    fileprivate func subtracting(_ other: Range) -> [Range] {
        guard overlaps(other) else { return [self] }
        return [
            lowerBound..<Swift.max(lowerBound, other.lowerBound),
            Swift.min(upperBound, other.upperBound)..<upperBound,
        ]
        .filter { !$0.isEmpty }
    }

    /// The same bytes in as few ranges as can be, in ascending order.
    fileprivate static func joining(_ ranges: [Range]) -> [Range] {
        ranges.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { joined, range in
            if let last = joined.last, range.lowerBound <= last.upperBound {
                joined[joined.count - 1] =
                    last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
    }
}
