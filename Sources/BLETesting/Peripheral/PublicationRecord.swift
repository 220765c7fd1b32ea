internal import BLE

/// What the air knows of a publication.
struct PublicationRecord {
    /// How many requests, and how many events, may wait for a responder.
    static let maximumBacklogCount = 1024
    /// How many values may wait for the reply to a write; one more waits to be taken in.
    static let maximumHeldCount = 256
    /// How many may wait for the reply to a write when the responder adds them, for whose reply they wait.
    static let maximumResponderCount = 2 * maximumHeldCount

    /// What a responder is called with.
    enum Item: Sendable {
        case published(any Publication)
        case event(PublicationEvent)
        /// Writes that had no room, by their number.
        case lost(Int)
        case request(Int, Operation)
    }

    enum Operation: Sendable {
        case read(AttributeID, GATTRequest)
        case write([UInt8], AttributeID, GATTRequest)
    }

    /// A request that the responder has not replied to.
    struct Unanswered {
        let route: Route
        let connection: Int
        /// What the reply goes to; `nil` when there is none.
        let request: Int?
        let holdsValues: Bool
        var timer: Task<Void, Never>?
    }

    /// A value that is to be sent.
    struct Value {
        let id: AttributeID
        let bytes: [UInt8]
        /// The one central that it is meant for; `nil` for all subscribers.
        var central: PeerID?
        /// What it is as an indication.
        var indication: IndicationQueue.Indication?
    }

    let radio: PeerID
    let services: [GATTService]
    let options: PublicationOptions
    let advertisement: Int?
    let items: AsyncStream<Item>.Continuation
    var centrals: [PeerID] = []
    var subscribers: [AttributeID: [PeerID]] = [:]
    var unanswered: [Int: Unanswered] = [:]
    var lost = LostWrites()
    /// How many requests and events the responder has not been called with.
    var waitingRequestCount = 0
    var waitingEventCount = 0
    /// The write that the responder is handling.
    var write: Int?
    /// Values that are sent after the reply to that write.
    var heldValues: [Value] = []
    /// Who sends values to all, or to one central.
    var turns: [PeerID?: Turns] = [:]
    /// Who waits until there is room for a value.
    var roomWaits: [Int: Promise<Void>] = [:]
    /// The task that calls the responder.
    var task: Int?
    var indications: [AttributeID: IndicationQueue] = [:]
    /// Who waits until no request of a central, or of any, is unanswered.
    var replyWaits: [(central: PeerID?, promise: Promise<Void>)] = []
    /// What is asked for now is refused; what waits is answered before the services go.
    var isWithdrawing = false

    /// The services, for people.
    var names: String {
        let uuids = services.map { "\($0.uuid)" }.joined(separator: ", ")
        return services.count == 1 ? "the service \(uuids)" : "the services \(uuids)"
    }

    /// Whether the current task is the one that calls the responder.
    var isResponderCalledHere: Bool {
        task != nil && task == withUnsafeCurrentTask { $0?.hashValue }
    }

    /// Whether a central waits for the responder, or any waits for its reply.
    func isWaiting(_ central: PeerID?) -> Bool {
        guard let central else { return unanswered.values.contains { $0.request != nil } }
        return unanswered.values.contains { $0.route.to == central }
    }
}
