/// Which message of a handshake comes next, and from whom.
struct HandshakeProgress: Sendable {
    private enum Step {
        /// The message with this index comes next.
        case message(Int)
        case finished
        case split
        case failed
    }

    private let isInitiator: Bool
    private let messageCount: Int
    private var step = Step.message(0)

    init(isInitiator: Bool, messageCount: Int) {
        self.isInitiator = isInitiator
        self.messageCount = messageCount
    }

    var isTurnToWrite: Bool {
        guard case .message(let index) = step else { return false }
        return index.isMultiple(of: 2) == isInitiator
    }

    var isFinished: Bool {
        switch step {
        case .finished, .split: true
        case .message, .failed: false
        }
    }

    /// Returns the index of the message that comes next.
    func nextMessage(toWrite: Bool) throws(NoiseError) -> Int {
        switch step {
        case .message(let index):
            guard isTurnToWrite == toWrite else {
                throw NoiseError(
                    .wrongTurn,
                    toWrite
                        ? "writing message \(index + 1), which is the other end's"
                        : "reading message \(index + 1), which is this end's"
                )
            }
            return index
        case .finished, .split:
            throw NoiseError(.finished, "the handshake has no message \(messageCount + 1)")
        case .failed: throw Self.failedBefore
        }
    }

    /// The message that came next was written or read.
    mutating func advance() {
        guard case .message(let index) = step else { return }
        step = index + 1 < messageCount ? .message(index + 1) : .finished
    }

    mutating func fail() {
        step = .failed
    }

    mutating func split() throws(NoiseError) {
        switch step {
        case .message(let index):
            throw NoiseError(.notFinished, "splitting a handshake before message \(index + 1)")
        case .finished: step = .split
        case .split: throw NoiseError(.finished, "the handshake was split before")
        case .failed: throw Self.failedBefore
        }
    }

    private static var failedBefore: NoiseError {
        NoiseError(.failed, "the handshake failed before")
    }
}
