internal import BLE
internal import BLESession
internal import DequeModule

/// Which session of a messenger.
enum SessionID: Hashable, Sendable {
    /// One over a link of ours.
    case caller(Int)
    /// One of a central, by the number that this has chosen.
    case callee(PeerID, UInt16)
}

/// A session with somebody whom this end has called.
struct CallerEnd: Sendable {
    let link: any Link
    var session: CallerSession
    var assembly = MessageAssembly()
    var key: ChatKey?
    var mtuBytes: Int
    /// Lets the session look whether there is something to do.
    let wakeUp: AsyncStream<Void>.Continuation
    let established = Promise<Chat>()
}

/// A session with somebody who has called.
struct CalleeEnd: Sendable {
    /// How many records wait before the caller has to.
    static let maximumWaitingCount = 32

    /// Its alone: a central may use the number of its session again.
    let number: Int
    var session: CalleeSession
    var assembly = MessageAssembly()
    var key: ChatKey?
    /// Until the key is known.
    var deadline: Deadline?
    /// What has come, in order; the first is being dealt with.
    var waiting: Deque<SecureSession.Event> = []
    /// Of a caller who waits until one less waits here.
    var room: Promise<Void>?
}

/// The sessions of a central.
struct CallingDevice: Sendable {
    /// How many programs of one device have a session.
    static let maximumSessionCount = 4

    var ends: [UInt16: CalleeEnd] = [:]
    /// The one that was read last comes last.
    var order: [UInt16] = []
    /// For the later parts of a long read.
    var lastValue: [UInt8] = []
    /// Whether it was told that there is something to read, and has not read since.
    var isNotified = false
    /// While it has left the last session, and not yet ended the connection.
    var departure: Departure?
}

/// A central that has left is about to end the connection, and with it whatever goes over that.
struct Departure: Sendable {
    /// Until it is taken to stay.
    let deadline: Deadline
    /// Those who would call it.
    var calls = EndWaiters()
}

/// A chat with somebody whose key is known.
struct EncryptedChat: Sendable {
    let chat: Chat
    /// In the order in which they were established.
    var sessions: [SessionID] = []
    /// The one over which messages go.
    var active: SessionID?
    /// Calls of `send` that wait until a message is delivered, by numbers that only they have: several may send the same one.
    var deliveries: [Int: Delivery] = [:]
    /// What has an outcome that the archive does not know yet, or could not keep: to it, that still waits.
    var settled: Set<MessageID> = []
    /// Calls of `leave` that wait for the end.
    var ends = EndWaiters()
    var isLeaving = false
    /// How often what sessions have brought is being dealt with, which may take longer than they last.
    var handlingCount = 0
    /// Why the last session that has ended did so; `nil` when one of the two has left.
    var failure: ChatError?
    /// Whether the archive is asked for what waits.
    var fetch = Fetch.none

    enum Fetch { case none, underWay, again }

    /// A call of `send`.
    struct Delivery: Sendable {
        let message: MessageID
        let outcome: Promise<Void>
    }

    /// Takes out the calls that wait for a message.
    mutating func takeDeliveries(of message: MessageID) -> [Promise<Void>] {
        let calls = deliveries.filter { $0.value.message == message }
        for number in calls.keys { deliveries[number] = nil }
        return calls.values.map(\.outcome)
    }
}
