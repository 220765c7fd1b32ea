internal import BLEDBus

/// Values that are notified to all who have subscribed: those that wait, and how many are on their way.
///
/// A responder may notify the answer to a write while the reply to it is still on its way to the bus.
/// Sent first, the answer would reach the central first, who cannot know then what it answers. So it waits
/// until the writes before it have been replied to.
///
/// Nobody says when bluetoothd has taken a value: it replies to a call that was sent behind some of them.
struct UpdateQueue {
    struct Update {
        let value: [UInt8]
        let path: ObjectPath
        /// How many writes have to be replied to before.
        fileprivate let writeCount: Int
    }

    /// How many values may wait for the replies to writes; one more waits to be taken in.
    static let maximumCount = 1024

    /// How many values may wait for the replies to writes when the responder adds them, for whose end they wait.
    static let maximumResponderCount = 2 * maximumCount

    /// How many values may be on their way to bluetoothd; one more waits to be sent.
    static let window = 256

    private var received = 0
    private var replied = 0
    private var waiting: [Update] = []
    /// How many values have been sent, behind how many of them bluetoothd was called, and to which it has replied.
    private var sent = 0
    private var asked = 0
    private var taken = 0

    /// A write was handed to the responder.
    mutating func didReceiveWrite() {
        received += 1
    }

    /// Whether a value has to wait for replies to writes.
    var isHeld: Bool { replied < received || isHolding }

    /// Whether values wait for replies to writes.
    var isHolding: Bool { !waiting.isEmpty }

    /// Whether there is room for one more value.
    var hasRoom: Bool { isHeld ? waiting.count < Self.maximumCount : sent - taken < Self.window }

    /// Whether there is room for one more value of the responder.
    var hasResponderRoom: Bool {
        isHeld ? waiting.count < Self.maximumResponderCount : sent - taken < Self.window
    }

    /// Whether the responder's end alone makes room for one more of its values.
    var isFullForResponder: Bool { waiting.count >= Self.maximumResponderCount }

    /// Whether a value may be notified now; else it waits.
    mutating func admits(_ value: [UInt8], at path: ObjectPath) -> Bool {
        guard isHeld else { return true }
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

    /// A value was sent.
    ///
    /// - Returns: the number of values behind which bluetoothd is to be called now; `nil` when that has time.
    mutating func didSend() -> Int? {
        sent += 1
        guard sent - asked >= Self.window / 2 else { return nil }
        asked = sent
        return asked
    }

    /// bluetoothd has replied to the call behind so many values.
    mutating func didTake(_ count: Int) {
        taken = max(taken, count)
    }
}
