internal import BLEDBus

/// Which changed values are notifications.
///
/// bluetoothd shows a value that was read as it shows one that was notified, just before it replies
/// to the read. So values wait while a read is under way; when its reply has come, the last one that
/// equals the reply is left out. What remains wrong: a value that another program read counts as a
/// notification, and so does that of a read that was cancelled, which comes when nobody knows of it.
///
/// A value: it says what to deliver.
struct NotificationGate {
    /// How many values may wait for one read; a peer that sends more during it sends too much.
    static let maximumHeldCount = 256

    private struct Subscription {
        /// How many calls wait for the peer to confirm.
        var callCount = 0
        var isConfirmed = false
    }

    private var subscriptions: [ObjectPath: Subscription] = [:]
    /// Values that came while a read was under way.
    private var held: [ObjectPath: [[UInt8]]] = [:]

    /// Those to which bluetoothd has been asked to subscribe.
    var subscribed: [ObjectPath] { subscriptions.keys.sorted { $0.rawValue < $1.rawValue } }

    func isSubscribed(_ path: ObjectPath) -> Bool { subscriptions[path] != nil }

    func isConfirmed(_ path: ObjectPath) -> Bool { subscriptions[path]?.isConfirmed == true }

    /// From now on values count; before the peer has confirmed, as they may come before that.
    mutating func subscribe(_ path: ObjectPath) {
        subscriptions[path, default: Subscription()].callCount += 1
    }

    mutating func confirm(_ path: ObjectPath) {
        subscriptions[path]?.isConfirmed = true
    }

    /// A call failed, or no longer waits for the peer to confirm.
    ///
    /// - Returns: whether no call has subscribed, nor waits for that.
    mutating func abandon(_ path: ObjectPath) -> Bool {
        subscriptions[path]?.callCount -= 1
        guard let subscription = subscriptions[path] else { return true }
        guard !subscription.isConfirmed, subscription.callCount == 0 else { return false }
        unsubscribe(path)
        return true
    }

    mutating func unsubscribe(_ path: ObjectPath) {
        subscriptions[path] = nil
        held[path]?.removeAll()
    }

    /// A value changed.
    ///
    /// - Returns: whether to deliver it now.
    mutating func admits(_ value: [UInt8], at path: ObjectPath) -> Bool {
        guard isSubscribed(path) else { return false }
        guard held[path] != nil else { return true }
        if !isFull(at: path) { held[path]?.append(value) }
        return false
    }

    /// Whether no more values of a characteristic can wait for the read of it.
    func isFull(at path: ObjectPath) -> Bool {
        held[path].map { $0.count >= Self.maximumHeldCount } ?? false
    }

    /// A read is sent.
    mutating func beginRead(at path: ObjectPath) {
        held[path] = []
    }

    /// A read was answered, or failed.
    ///
    /// - Returns: what to deliver now, in order.
    mutating func endRead(at path: ObjectPath, _ value: [UInt8]?) -> [[UInt8]] {
        var values = held.removeValue(forKey: path) ?? []
        if let value, let echo = values.lastIndex(of: value) { values.remove(at: echo) }
        return values
    }

    /// The characteristic is gone.
    mutating func remove(_ path: ObjectPath) {
        subscriptions[path] = nil
        held[path] = nil
    }
}
