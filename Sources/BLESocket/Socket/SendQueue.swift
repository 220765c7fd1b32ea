/// What a socket is to send, in order: one chunk of it is under way at a time.
///
/// A value: its owner takes chunks, hands them to the radio, and says what came of each.
struct SendQueue: Sendable {
    /// What came of something that was to be sent.
    struct Outcome: Sendable {
        let id: Int
        /// `nil` when all was sent.
        let error: SocketError?
    }

    private struct Entry {
        let id: Int
        let bytes: [UInt8]
        let deadline: Duration?
        /// Whether they are a control message, which is one chunk.
        let isControl: Bool
        /// How many bytes the radio has taken.
        var sentCount = 0
    }

    private let maximumCount: Int
    private let maximumByteCount: Int
    private var entries: [Entry] = []
    private var byteCount = 0
    /// The chunk that is under way: whose it is, if anybody waits for that still, and how many bytes it has.
    private var underWay: (id: Int?, byteCount: Int)?

    /// - Parameters:
    ///   - maximumCount: how much may wait at once.
    ///   - maximumByteCount: how many bytes that may have together; one that has more waits alone.
    init(maximumCount: Int, maximumByteCount: Int) {
        precondition(maximumCount > 0 && maximumByteCount > 0, "nothing could be sent")
        self.maximumCount = maximumCount
        self.maximumByteCount = maximumByteCount
    }

    var isEmpty: Bool { entries.isEmpty && underWay == nil }

    /// How many bytes a control message has that is next; `nil` when it is none.
    var nextControlByteCount: Int? {
        entries.first.flatMap { $0.isControl ? $0.bytes.count : nil }
    }

    /// When ``passTime(_:)`` is to be called; `nil` for never.
    var deadline: Duration? { entries.lazy.compactMap(\.deadline).min() }

    /// Adds bytes.
    ///
    /// - Parameters:
    ///   - id: with which ``Outcome`` names them.
    ///   - bytes: any number.
    ///   - deadline: until when they have to be sent; `nil` for no limit.
    ///   - isControl: whether they are a control message, of which no part is sent alone.
    /// - Throws: ``SocketError`` with ``SocketError/Code/full``.
    mutating func add(
        _ id: Int,
        _ bytes: [UInt8],
        by deadline: Duration?,
        isControl: Bool = false
    ) throws(SocketError) {
        let hasRoom =
            entries.isEmpty
            || entries.count < maximumCount && byteCount + bytes.count <= maximumByteCount
        guard hasRoom else {
            throw SocketError(
                .full,
                "\(bytes.count) bytes were not sent: \(byteCount) in \(entries.count) parts wait already"
            )
        }
        entries.append(Entry(id: id, bytes: bytes, deadline: deadline, isControl: isControl))
        byteCount += bytes.count
    }

    /// The next chunk, which is under way from now on; `nil` while one is, and when there is none.
    mutating func nextChunk(upTo byteCount: Int) -> [UInt8]? {
        guard underWay == nil, let entry = entries.first, !entry.bytes.isEmpty else { return nil }
        let rest = entry.bytes.dropFirst(entry.sentCount).prefix(max(byteCount, 1))
        underWay = (entry.id, rest.count)
        return Array(rest)
    }

    /// Those that are sent with no more than what was sent: empty ones at the head.
    mutating func takeEmpty() -> [Outcome] {
        var outcomes: [Outcome] = []
        while underWay == nil, let entry = entries.first, entry.bytes.isEmpty {
            entries.removeFirst()
            outcomes.append(Outcome(id: entry.id, error: nil))
        }
        return outcomes
    }

    /// The radio has taken the chunk that was under way.
    mutating func didSend() -> [Outcome] {
        guard let (id, count) = underWay else { return [] }
        underWay = nil
        guard let id, !entries.isEmpty, entries[0].id == id else { return takeEmpty() }
        entries[0].sentCount += count
        byteCount -= count
        guard entries[0].sentCount == entries[0].bytes.count else { return [] }
        entries.removeFirst()
        return [Outcome(id: id, error: nil)] + takeEmpty()
    }

    /// The radio has not taken it: what it belongs to fails.
    mutating func didFail(_ error: any Error) -> [Outcome] {
        guard let (id, _) = underWay else { return [] }
        underWay = nil
        guard let id, let entry = remove(id) else { return takeEmpty() }
        let failure = SocketError(
            .lostConnection,
            "\(Self.rest(of: entry)) were not sent: the radio did not take them",
            underlying: error
        )
        return [Outcome(id: id, error: failure)] + takeEmpty()
    }

    /// Whoever waits for it has given up; what is under way is sent all the same.
    mutating func cancel(_ id: Int) -> [Outcome] {
        guard let entry = remove(id) else { return [] }
        let error = SocketError(.cancelled, "\(Self.rest(of: entry)) were not sent: cancelled")
        return [Outcome(id: id, error: error)] + takeEmpty()
    }

    /// Fails what has not been sent in time.
    mutating func passTime(_ now: Duration) -> [Outcome] {
        let late = entries.filter { $0.deadline.map { $0 <= now } ?? false }
        let outcomes = late.map { entry -> Outcome in
            _ = remove(entry.id)
            let error = SocketError(.timedOut, "\(Self.rest(of: entry)) were not sent in time")
            return Outcome(id: entry.id, error: error)
        }
        return outcomes.isEmpty ? [] : outcomes + takeEmpty()
    }

    /// Fails all.
    mutating func close(_ error: SocketError) -> [Outcome] {
        defer {
            entries = []
            byteCount = 0
            underWay = nil
        }
        return entries.map { Outcome(id: $0.id, error: error) }
    }

    private mutating func remove(_ id: Int) -> Entry? {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return nil }
        let entry = entries.remove(at: index)
        byteCount -= entry.bytes.count - entry.sentCount
        if underWay?.id == id { underWay?.id = nil }
        return entry
    }

    private static func rest(of entry: Entry) -> String {
        "\(entry.bytes.count - entry.sentCount) of \(entry.bytes.count) bytes"
    }
}
