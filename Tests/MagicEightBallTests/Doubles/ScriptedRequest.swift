import BLE

/// What the SDK wants of a scripted radio; it waits until the test replies.
struct ScriptedRequest: Sendable {
    enum Kind: Equatable, Sendable {
        case scan, connect(PeerID), resolve
        case subscribe, write([UInt8]), command([UInt8]), read, unsubscribe, disconnect
        /// `update` tells an answer, `ready` a value of the Reply characteristic.
        case publish(String), update([UInt8]), ready([UInt8]), disconnectCentral(PeerID), withdraw
    }

    let kind: Kind
    let reply: AsyncThrowingStream<[UInt8], any Error>.Continuation

    func succeed() { reply.finish() }

    /// Replies to a read.
    func succeed(with value: [UInt8]) {
        reply.yield(value)
        reply.finish()
    }

    func fail(_ error: any Error) { reply.finish(throwing: error) }

    /// Makes a request known, and waits for the reply, or until cancelled.
    static func make(
        _ kind: Kind,
        in requests: AsyncStream<ScriptedRequest>.Continuation
    ) async throws {
        _ = try await read(kind, in: requests)
    }

    /// As ``make(_:in:)``.
    ///
    /// - Returns: what was read.
    static func read(
        _ kind: Kind,
        in requests: AsyncStream<ScriptedRequest>.Continuation
    ) async throws -> [UInt8] {
        let (replies, reply) = AsyncThrowingStream.makeStream(of: [UInt8].self)
        requests.yield(ScriptedRequest(kind: kind, reply: reply))
        var value: [UInt8] = []
        for try await part in replies { value = part }
        try Task.checkCancellation()
        return value
    }
}

/// A stream whose elements a test takes one by one.
final class Feed<Element: Sendable>: Sendable {
    let continuation: AsyncStream<Element>.Continuation
    private let stream: AsyncStream<Element>

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    /// The next element; waits for it.
    func next() async -> Element? {
        var iterator = stream.makeAsyncIterator()
        return await iterator.next()
    }
}
