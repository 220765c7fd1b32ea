/// Values for whoever waits for them.
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
