/// Why a virtual daemon could not be started.
public struct VirtualDaemonError: Error, CustomStringConvertible {
    /// What was tried, and what came back.
    public let description: String

    /// What came back.
    public let underlying: any Error

    init(_ attempt: String, _ underlying: any Error) {
        description = "\(attempt): \(underlying)"
        self.underlying = underlying
    }
}
