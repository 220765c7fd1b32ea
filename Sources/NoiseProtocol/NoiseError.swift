/// Why a handshake, or a message of a transport, failed.
package struct NoiseError: Error, Sendable {
    /// What went wrong.
    package struct Code: Hashable, Sendable {
        private enum Name: String {
            case tooLong, malformedData, authenticationFailed, invalidKey
            case wrongTurn, notFinished, finished, failed
            case replayed, tooOld, usedCounter, lastCounter, oneWay
        }

        /// A message has, or would have, more than 65,535 bytes.
        package static let tooLong = Code(name: .tooLong)
        /// A message has too few bytes.
        package static let malformedData = Code(name: .malformedData)
        /// A message was changed, has another key or counter, or is not of this session.
        package static let authenticationFailed = Code(name: .authenticationFailed)
        /// The other end's public key gives a shared secret of zeros, or is this end's own.
        package static let invalidKey = Code(name: .invalidKey)
        /// The handshake writes when it should read, or reads when it should write.
        package static let wrongTurn = Code(name: .wrongTurn)
        /// The handshake has messages left.
        package static let notFinished = Code(name: .notFinished)
        /// The handshake has no message left, or was split before.
        package static let finished = Code(name: .finished)
        /// The handshake failed before.
        package static let failed = Code(name: .failed)
        /// A message with this counter was opened before.
        package static let replayed = Code(name: .replayed)
        /// The counter lies below the replay window.
        package static let tooOld = Code(name: .tooOld)
        /// A message with this counter, or a higher one, was sealed before.
        package static let usedCounter = Code(name: .usedCounter)
        /// The counters are used up: 2⁶⁴ - 1 is none.
        package static let lastCounter = Code(name: .lastCounter)
        /// Messages go the other way alone: of a handshake in which the initiator stays unknown.
        package static let oneWay = Code(name: .oneWay)

        private let name: Name

        private init(name: Name) {
            self.name = name
        }
    }

    /// What went wrong.
    package let code: Code
    /// What was tried, on what, and what came back; for people.
    package let message: String
    /// What it was caused by.
    package let underlying: (any Error)?

    static let oneWay = NoiseError(
        .oneWay,
        "a message in a direction that the handshake has no key for"
    )

    init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }
}

extension NoiseError.Code: CustomStringConvertible {
    /// The name of the code, such as `wrongTurn`.
    package var description: String { name.rawValue }
}

extension NoiseError: CustomStringConvertible {
    /// The message, and the cause if there is one.
    package var description: String { underlying.map { "\(message): \($0)" } ?? message }
}
