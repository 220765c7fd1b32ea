/// What comes, in pieces of the size that is asked for.
struct IncomingBytes {
    private var iterator: AsyncThrowingStream<[UInt8], any Error>.Iterator
    private var rest: ArraySlice<UInt8> = []

    init(_ bytes: AsyncThrowingStream<[UInt8], any Error>) {
        iterator = bytes.makeAsyncIterator()
    }

    /// The next bytes, at least one and at most so many; `nil` at the end.
    mutating func next(upTo byteCount: Int = .max) async throws -> [UInt8]? {
        if rest.isEmpty {
            guard let piece = try await iterator.next(isolation: #isolation) else { return nil }
            rest = piece[...]
        }
        defer { rest = rest.dropFirst(byteCount) }
        return Array(rest.prefix(byteCount))
    }

    /// Exactly so many bytes; `nil` when they end before.
    mutating func next(exactly byteCount: Int) async throws -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < byteCount {
            guard let piece = try await next(upTo: byteCount - bytes.count) else { return nil }
            bytes += piece
        }
        return bytes
    }
}
