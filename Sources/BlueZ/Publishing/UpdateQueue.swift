internal import DBus

/// Values that wait to be notified until the writes before them have been replied to.
///
/// A responder may notify the answer to a write while the reply to it is still on its way to the bus.
/// Sent first, the answer would reach the central first, who cannot know then what it answers.
struct UpdateQueue {
    struct Update {
        let value: [UInt8]
        let path: ObjectPath
        /// How many writes have to be replied to before.
        fileprivate let writeCount: Int
    }

    /// How many values may wait for the replies to writes; more are not taken.
    static let maximumCount = 1024

    private var received = 0
    private var replied = 0
    private var waiting: [Update] = []

    /// A write was handed to the responder.
    mutating func didReceiveWrite() {
        received += 1
    }

    /// Whether no more values can wait.
    var isFull: Bool { waiting.count >= Self.maximumCount }

    /// Whether a value may be notified now; else it waits.
    mutating func admits(_ value: [UInt8], at path: ObjectPath) -> Bool {
        guard replied < received || !waiting.isEmpty else { return true }
        waiting.append(Update(value: value, path: path, writeCount: received))
        return false
    }

    /// The next write was replied to.
    ///
    /// - Returns: what is to be notified now, in order.
    mutating func didReply() -> [Update] {
        replied += 1
        let ready = waiting.prefix { $0.writeCount <= replied }
        waiting.removeFirst(ready.count)
        return Array(ready)
    }
}
