import DBus
import Synchronization

/// Keeps calls without replying to them.
final class Held: Sendable {
    private let calls = Mutex<[MethodCall]>([])

    func hold(_ call: MethodCall) {
        calls.withLock { $0.append(call) }
    }
}
