/// Lets a task go on once nobody has this any longer.
final class Resumption: Sendable {
    private let continuation: CheckedContinuation<Void, Never>

    init(_ continuation: CheckedContinuation<Void, Never>) {
        self.continuation = continuation
    }

    deinit {
        continuation.resume()
    }
}
