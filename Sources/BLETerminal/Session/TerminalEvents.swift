/// What happens at a terminal, in order.
public struct TerminalEvents: AsyncSequence, Sendable {
    /// Takes the events one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let session: TerminalSession

        /// The next event.
        ///
        /// - Returns: `nil` after the last one, and when the task is cancelled.
        public mutating func next() async -> TerminalEvent? {
            await session.nextEvent()
        }

        /// The next event.
        ///
        /// - Parameter actor: where the caller is isolated.
        /// - Returns: `nil` after the last one, and when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> TerminalEvent? {
            await session.nextEvent()
        }
    }

    let session: TerminalSession

    /// Begins to take events; for one consumer.
    ///
    /// - Returns: what takes them.
    public func makeAsyncIterator() -> Iterator { Iterator(session: session) }
}
