import BLE

/// What the SDK wants of a scripted radio; it waits until the test replies.
struct ScriptedRequest: Sendable {
    enum Kind: Equatable, Sendable {
        case connect(PeerID)
        case subscribe, write([UInt8]), unsubscribe, disconnect
        /// `update` tells an answer, `ready` a value of the Reply characteristic.
        case publish(String), update([UInt8]), ready([UInt8]), withdraw
    }

    let kind: Kind
    let reply: AsyncThrowingStream<Never, any Error>.Continuation

    func succeed() { reply.finish() }
    func fail(_ error: any Error) { reply.finish(throwing: error) }

    /// Makes a request known, and waits for the reply, or until cancelled.
    static func make(
        _ kind: Kind,
        in requests: AsyncStream<ScriptedRequest>.Continuation
    ) async throws {
        let (replies, reply) = AsyncThrowingStream.makeStream(of: Never.self)
        requests.yield(ScriptedRequest(kind: kind, reply: reply))
        for try await _ in replies {}
        try Task.checkCancellation()
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
