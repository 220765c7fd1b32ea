/// Why a foreign program could not do something.
public struct ForeignClientError: Error, CustomStringConvertible {
    /// What was tried, and what came back.
    public let description: String

    /// What came back; `nil` when there was nothing to ask.
    public let underlying: (any Error)?

    init(_ attempt: String, _ underlying: (any Error)?) {
        description = underlying.map { "\(attempt): \($0)" } ?? "\(attempt): there is none"
        self.underlying = underlying
    }
}
