internal import BLE
internal import DBus

/// Who waits for a reply of bluetoothd, so that a loss ends all of them at once: newer versions
/// leave some calls without any reply when a link or an adapter goes.
struct Waits {
    private var promises: [Int: Promise<Message>] = [:]
    private var lastID = 0

    /// Begins to wait.
    mutating func add() -> (id: Int, reply: Promise<Message>) {
        lastID += 1
        let promise = Promise<Message>()
        promises[lastID] = promise
        return (lastID, promise)
    }

    /// No longer waits.
    mutating func remove(_ id: Int) {
        promises[id] = nil
    }

    /// Ends all waits.
    mutating func failAll(_ error: any Error) {
        for promise in promises.values { promise.fail(error) }
        promises = [:]
    }
}
