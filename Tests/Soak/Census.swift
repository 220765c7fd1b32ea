import BLEDBus
import BLELocking

/// Which objects have not been freed.
final class Census: Sendable {
    /// What is counted.
    enum Kind {
        case adapter, bluetoothd, link, publication
    }

    private struct Weak {
        weak var object: AnyObject?
    }

    private let objects = Locked([Kind: [Weak]]())

    /// Counts an object from now on, and once.
    func add(_ object: AnyObject, as kind: Kind) {
        objects.withLock { objects in
            objects[kind, default: []].removeAll { $0.object == nil || $0.object === object }
            objects[kind, default: []].append(Weak(object: object))
        }
    }

    /// How many have not been freed.
    func count(of kind: Kind) -> Int {
        objects.withLock { $0[kind, default: []].count { $0.object != nil } }
    }
}
