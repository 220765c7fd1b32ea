import BLEDBus
import BLELocking

/// Keeps calls without replying to them, until they are let go.
final class Held: Sendable {
    private let calls = Locked<[MethodCall]>([])
    private let arrivals: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation

    init() {
        (arrivals, arrived) = AsyncStream.makeStream()
    }

    func hold(_ call: MethodCall) {
        calls.withLock { $0.append(call) }
        arrived.yield()
    }

    /// Waits for the first call.
    func first() async {
        for await _ in arrivals { break }
    }

    /// Replies to all.
    func letGo() {
        let calls = calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
        for call in calls { call.reply() }
    }
}
