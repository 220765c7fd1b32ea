internal import BLE
internal import BLEDBus

/// Who waits for something that may never come, so that a loss ends all of them at once: newer versions of
/// bluetoothd leave some calls without any reply when a link or an adapter goes.
struct Waits<Output: Sendable> {
    private var promises: [Int: Promise<Output>] = [:]
    private var lastID = 0

    /// Begins to wait.
    mutating func add() -> (id: Int, promise: Promise<Output>) {
        lastID += 1
        let promise = Promise<Output>()
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

extension Waits where Output == Void {
    /// What all wait for has come.
    mutating func fulfilAll() {
        for promise in promises.values { promise.fulfil() }
        promises = [:]
    }
}
