/// Finds frames in the bytes of a stream, whatever the pieces in which they come.
///
/// What is no frame is left out, up to the next byte that may begin one. A length that is too great,
/// a wrong checksum or a missing end costs the byte that seemed to be a frame's start: a frame behind it is
/// found still.
public struct GeotabFrameReader: Sendable {
    /// What was read.
    public enum Event: Hashable, Sendable {
        /// The byte of an add-on that waits for a device, 55.
        case sync
        /// A frame.
        case frame(GeotabFrame)
        /// So many bytes were left out; the reason is that of the first.
        case malformed(Malformation, byteCount: Int)
    }

    /// Why bytes are no frame.
    public enum Malformation: Hashable, Sendable {
        /// No frame begins with this byte.
        case garbage(UInt8)
        /// The body has more bytes than are taken.
        case tooLong(Int)
        /// The checksum is another one.
        case checksum(expected: GeotabChecksum, received: GeotabChecksum)
        /// The last byte is not 03.
        case noEnd(UInt8)
        /// The rest did not come in time.
        case incomplete
    }

    /// How many bytes a body may have at most.
    public let maximumBodyByteCount: Int

    /// How long nothing may come of a frame that has begun.
    public let frameLimit: Duration

    /// When ``passTime(_:)`` is to be called; `nil` for never.
    public var deadline: Duration? {
        incomplete.map {
            let limit = $0.begin + frameLimit + .microseconds(2_500) * $0.byteCount
            return min($0.lastArrival + frameLimit, limit)
        }
    }

    /// The frame that has begun; of so many bytes, as far as is known.
    private var incomplete: (begin: Duration, lastArrival: Duration, byteCount: Int)?
    private var buffer: [UInt8] = []
    /// What was left out since the last event.
    private var dropped: (reason: Malformation, byteCount: Int)?

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - maximumBodyByteCount: how many bytes a body may have at most; from 0 to 65,535.
    ///   - frameLimit: how long nothing may come of a frame that has begun. In all it may take as long, and
    ///     2.5 ms more for each byte: the slowest links carry 400 bytes a second.
    public init(maximumBodyByteCount: Int = 8_192, frameLimit: Duration = .seconds(5)) {
        precondition((0...65_535).contains(maximumBodyByteCount), "no frame is as long")
        self.maximumBodyByteCount = maximumBodyByteCount
        self.frameLimit = frameLimit
    }

    /// Reads what came.
    ///
    /// - Parameters:
    ///   - bytes: the next bytes of the stream; none will do.
    ///   - now: the time.
    /// - Returns: what was read, in order.
    public mutating func read(_ bytes: some Sequence<UInt8>, at now: Duration) -> [Event] {
        buffer.append(contentsOf: bytes)
        return scan(at: now)
    }

    /// Gives up a frame whose time is over, and reads what came after its first byte.
    ///
    /// - Parameter now: the time.
    /// - Returns: what was read, in order.
    public mutating func passTime(_ now: Duration) -> [Event] {
        guard let incomplete, let deadline, deadline <= now else { return [] }
        self.incomplete = nil
        return incomplete.lastArrival + frameLimit <= now
            ? scan(at: now, givingUp: .max) : scan(at: now, givingUp: 1)
    }

    /// Forgets what has come of a frame.
    public mutating func reset() {
        buffer = []
        incomplete = nil
    }

    private enum Start {
        case frame(GeotabFrame, byteCount: Int)
        case malformed(Malformation)
        case incomplete(byteCount: Int)
    }

    /// Reads what is there; gives up so many frames that are incomplete.
    private mutating func scan(at now: Duration, givingUp count: Int = 0) -> [Event] {
        var count = count
        var events: [Event] = []
        var index = 0
        scanning: while index < buffer.count {
            switch buffer[index] {
            case GeotabFrame.sync:
                flush(into: &events)
                events.append(.sync)
                index += 1
            case GeotabFrame.start:
                switch start(at: index) {
                case .frame(let frame, let byteCount):
                    flush(into: &events)
                    events.append(.frame(frame))
                    index += byteCount
                case .malformed(let reason):
                    drop(reason)
                    index += 1
                case .incomplete where count > 0:
                    count -= 1
                    drop(.incomplete)
                    index += 1
                case .incomplete(let byteCount):
                    if index > 0 { incomplete = nil }
                    incomplete = (incomplete?.begin ?? now, now, byteCount)
                    break scanning
                }
            case let byte:
                drop(.garbage(byte))
                index += 1
            }
        }
        flush(into: &events)
        buffer.removeFirst(index)
        if buffer.isEmpty { incomplete = nil }
        return events
    }

    /// What begins at a byte that is a frame's first.
    private func start(at index: Int) -> Start {
        let bytes = buffer[index...]
        guard bytes.count > 1 else { return .incomplete(byteCount: 6) }
        let kind = GeotabFrame.Kind(rawValue: bytes[index + 1])
        let headerByteCount = 2 + kind.lengthByteCount
        guard bytes.count >= headerByteCount else { return .incomplete(byteCount: 7) }
        var bodyByteCount = Int(bytes[index + 2])
        if kind.lengthByteCount == 2 { bodyByteCount |= Int(bytes[index + 3]) << 8 }
        guard bodyByteCount <= maximumBodyByteCount else {
            return .malformed(.tooLong(bodyByteCount))
        }
        let byteCount = headerByteCount + bodyByteCount + 3
        guard bytes.count >= byteCount else { return .incomplete(byteCount: byteCount) }
        let end = index + byteCount - 1
        guard bytes[end] == GeotabFrame.end else { return .malformed(.noEnd(bytes[end])) }
        let expected = GeotabChecksum(bytes[index..<end - 2])
        let received = GeotabChecksum(first: bytes[end - 2], second: bytes[end - 1])
        guard expected == received else {
            return .malformed(.checksum(expected: expected, received: received))
        }
        let body = Array(bytes[index + headerByteCount..<end - 2])
        return .frame(GeotabFrame(kind, checked: body), byteCount: byteCount)
    }

    private mutating func drop(_ reason: Malformation) {
        dropped = (dropped?.reason ?? reason, (dropped?.byteCount ?? 0) + 1)
    }

    private mutating func flush(into events: inout [Event]) {
        guard let (reason, byteCount) = dropped else { return }
        dropped = nil
        events.append(.malformed(reason, byteCount: byteCount))
    }
}
