/// The bytes of a stream that come, in order.
struct StreamReceiver: Sendable {
    /// The first byte that has not come.
    private(set) var received: UInt64 = 0
    /// Where the stream ends, once that is known.
    private(set) var end: UInt64?
    /// What came beyond, in ascending order, without overlaps.
    private var pieces: [(offset: UInt64, bytes: [UInt8])] = []
    /// How many bytes whoever reads has taken.
    private var consumed: UInt64 = 0
    /// The limit that the other end was told last, which is never lowered.
    private var toldLimit: UInt64
    private var windowByteCount: Int
    /// From where on whoever reads has been as fast as the other end.
    private var windowStart: UInt64 = 0
    private let maximumWindowByteCount: Int
    private static let maximumPieceCount = 1_024

    init(windowByteCount: Int, maximumWindowByteCount: Int) {
        self.windowByteCount = windowByteCount
        self.maximumWindowByteCount = maximumWindowByteCount
        toldLimit = UInt64(windowByteCount)
    }

    /// Whether all has come.
    var isComplete: Bool { received == end }

    /// Up to where the other end may send.
    var limit: UInt64 { max(toldLimit, consumed + UInt64(windowByteCount)) }

    /// Whether the other end is to be told of the limit, as much of what it knows is used.
    var hasNewLimit: Bool { limit >= toldLimit + UInt64(windowByteCount / 2) }

    /// Whether something came beyond the first byte that has not.
    var hasGap: Bool { !pieces.isEmpty }

    /// What the other end is told.
    ///
    /// - Parameter pieceCount: of how many pieces at most.
    /// - Returns: the acknowledgement.
    mutating func acknowledgement(pieceCount: Int) -> StreamFrame.Acknowledgement {
        toldLimit = limit
        let ranges = joined.prefix(pieceCount).map {
            StreamFrame.Piece(
                offset: UInt32(offset: $0.lowerBound),
                byteCount: UInt32(truncatingIfNeeded: $0.upperBound - $0.lowerBound)
            )
        }
        return StreamFrame.Acknowledgement(
            // The end counts as one more.
            received: UInt32(offset: received + (isComplete ? 1 : 0)),
            limit: UInt32(offset: toldLimit),
            pieces: ranges
        )
    }

    /// The pieces, those that touch as one.
    private var joined: [Range<UInt64>] {
        pieces.reduce(into: []) { ranges, piece in
            let end = piece.offset + UInt64(piece.bytes.count)
            if let last = ranges.last, last.upperBound == piece.offset {
                ranges[ranges.count - 1] = last.lowerBound..<end
            } else {
                ranges.append(piece.offset..<end)
            }
        }
    }

    /// Whoever reads has taken bytes.
    mutating func consume(_ byteCount: Int) {
        consumed = min(consumed + UInt64(byteCount), received)
        // Whoever has read a whole window as fast as it was sent gets a greater one.
        if received - consumed > UInt64(windowByteCount / 2) { windowStart = consumed }
        guard consumed - windowStart >= UInt64(windowByteCount) else { return }
        windowStart = consumed
        windowByteCount = min(windowByteCount * 2, maximumWindowByteCount)
    }

    /// Takes bytes.
    ///
    /// - Returns: those that are next now, perhaps none; `nil` when the other end may not send them.
    mutating func receive(_ bytes: [UInt8], at offset: UInt32) -> [UInt8]? {
        guard let offset = offset.offset(near: received) else { return nil }
        let end = offset + UInt64(bytes.count)
        guard end <= limit, self.end.map({ end <= $0 }) ?? true else { return nil }
        // One with more gaps is sent again; what is next makes none, and always has room.
        guard end > received, offset <= received || pieces.count < Self.maximumPieceCount else {
            return []
        }
        guard hasGap || offset != received else {
            // In order, as most comes.
            received = end
            return bytes
        }
        insert(bytes, at: offset)
        return takeNext()
    }

    /// The stream ends.
    ///
    /// - Returns: whether it may end there.
    mutating func receiveEnd(at offset: UInt32) -> Bool {
        guard let offset = offset.offset(near: received), offset <= limit else { return false }
        let last = pieces.last.map { $0.offset + UInt64($0.bytes.count) } ?? received
        guard offset >= last, end ?? offset == offset else { return false }
        end = offset
        return true
    }

    /// Adds what of some bytes has not come.
    private mutating func insert(_ bytes: [UInt8], at offset: UInt64) {
        var start = max(offset, received)
        let end = offset + UInt64(bytes.count)
        var index = pieces.firstIndex { $0.offset + UInt64($0.bytes.count) > start } ?? pieces.count
        while start < end {
            let next = index < pieces.count ? pieces[index] : nil
            let gapEnd = min(end, next?.offset ?? end)
            if start < gapEnd {
                let part = bytes[Int(start - offset)..<Int(gapEnd - offset)]
                pieces.insert((start, Array(part)), at: index)
                index += 1
            }
            guard let next else { return }
            start = max(gapEnd, next.offset + UInt64(next.bytes.count))
            index += 1
        }
    }

    private mutating func takeNext() -> [UInt8] {
        var next: [UInt8] = []
        var count = 0
        while count < pieces.count, pieces[count].offset == received {
            next += pieces[count].bytes
            received += UInt64(pieces[count].bytes.count)
            count += 1
        }
        pieces.removeFirst(count)
        return next
    }
}
