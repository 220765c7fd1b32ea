internal import BLE
internal import DequeModule

/// What has come, and waits for whoever reads.
struct ReceivedPieces {
    /// How many pieces wait at most, where the other end cannot be told to wait.
    static let maximumCount = 2_048

    private var pieces: Deque<[UInt8]> = []
    private var reader: Promise<[UInt8]?>?
    /// Which call of ``beginReading()`` is served; `nil` for none.
    private var number: Int?
    private var lastNumber = 0
    /// How the pieces end, once that is known.
    private var end: Result<Void, SocketError>?

    /// How many bytes wait.
    var byteCount: Int { pieces.reduce(0) { $0 + $1.count } }

    /// Whether as many wait as may.
    var isFull: Bool { pieces.count >= Self.maximumCount }

    /// Whether what comes is kept for the first who reads.
    private var isKept: Bool

    /// Whether anybody reads, or will.
    var hasReader: Bool { number != nil || isKept }

    /// - Parameter isKept: whether what comes is kept until somebody reads.
    init(isKept: Bool = false) {
        self.isKept = isKept
    }

    /// Serves one reader, in place of the one before.
    mutating func beginReading() -> Int {
        reader?.fulfil(.success(nil))
        reader = nil
        if !isKept {
            pieces = []
            end = nil
        }
        isKept = false
        lastNumber += 1
        number = lastNumber
        return lastNumber
    }

    mutating func add(_ piece: [UInt8]) {
        guard hasReader, end == nil else { return }
        if let reader {
            self.reader = nil
            reader.fulfil(.success(piece))
        } else {
            pieces.append(piece)
        }
    }

    /// Nothing more comes; those that wait are still read.
    mutating func finish(_ error: SocketError?) {
        guard hasReader, end == nil else { return }
        end = error.map { .failure($0) } ?? .success(())
        guard let reader else { return }
        self.reader = nil
        reader.fulfil(takeEnd())
    }

    /// Those that wait, as one: whoever reads is not woken for each.
    private mutating func takeAll() -> [UInt8] {
        defer { pieces.removeAll(keepingCapacity: true) }
        return pieces.count == 1 ? pieces[0] : Array(pieces.joined())
    }

    private mutating func takeEnd() -> Result<[UInt8]?, any Error> {
        number = nil
        switch end {
        case .failure(let error): return .failure(error)
        case .success, nil: return .success(nil)
        }
    }

    /// What a reader gets: a piece or the end now, or a promise of the next.
    mutating func next(of number: Int) -> Next {
        guard number == self.number else { return .now(.success(nil)) }
        if !pieces.isEmpty { return .now(.success(takeAll())) }
        guard end == nil else { return .now(takeEnd()) }
        let promise = Promise<[UInt8]?>()
        reader = promise
        return .later(promise)
    }

    /// The reader has gone.
    mutating func stopReading(_ number: Int) {
        guard number == self.number else { return }
        self.number = nil
        reader = nil
        pieces = []
    }

    enum Next {
        case now(Result<[UInt8]?, any Error>)
        case later(Promise<[UInt8]?>)
    }
}
