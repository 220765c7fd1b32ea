package import BLE

/// What a ball that serves one asker alone waits for.
package enum AskerEvent: Hashable, Sendable {
    /// An asker's answer was sent.
    case answered(PeerID)
    /// An asker has left.
    case left(PeerID)
}

extension AsyncThrowingStream where Element == AskerEvent, Failure == any Error {
    /// Waits until an asker was answered, and has left after that.
    ///
    /// - Parameters:
    ///   - limit: how long an asker that was answered may stay.
    ///   - clock: measures the time.
    /// - Throws: what the stream fails with before an answer; `CancellationError`.
    package func untilServed(
        leavingWithin limit: Duration,
        on clock: any Clock<Duration>
    ) async throws {
        for try await case .answered(let asker) in self {
            do {
                _ = try await withTimeLimit(limit, on: clock) {
                    for try await case .left(let peer) in self where peer == asker { break }
                }
            } catch {
                // Else the ball has stopped, and nobody is to be waited for.
                try Task.checkCancellation()
            }
            return
        }
    }
}
