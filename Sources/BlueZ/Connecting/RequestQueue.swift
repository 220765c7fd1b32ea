internal import BLE
internal import BLEDBus

/// What is asked of a link's characteristics and descriptors: of each one thing at a time, in the order of the
/// calls, as bluetoothd refuses a second one; of different ones at once.
///
/// A value: it says what to send next.
struct RequestQueue {
    /// How many requests to one characteristic may be unanswered; more fail as busy.
    static let maximumCount = 256

    /// One request and who waits for its reply.
    struct Request {
        let id: Int
        let path: ObjectPath
        let isRead: Bool
        let message: Message
        let reply: Promise<Message>
        /// Whether somebody waits for the reply, or nobody was meant to.
        fileprivate(set) var isWanted = true
    }

    /// What is under way, and behind it what waits.
    private var queues: [ObjectPath: [Request]] = [:]
    private var lastID = 0

    /// Adds a request at its characteristic's end.
    ///
    /// - Returns: the request, and whether it is to be sent now.
    mutating func add(
        _ message: Message,
        isRead: Bool = false,
        at path: ObjectPath
    ) -> (request: Request, isNext: Bool) {
        lastID += 1
        let request = Request(
            id: lastID,
            path: path,
            isRead: isRead,
            message: message,
            reply: Promise()
        )
        guard queues[path, default: []].count < Self.maximumCount else {
            let text = "\(Self.maximumCount) requests to \(path) wait for those before them"
            request.reply.fail(RadioError(.busy, text))
            return (request, false)
        }
        queues[path, default: []].append(request)
        return (request, queues[path]?.count == 1)
    }

    /// The reply to a request came.
    ///
    /// - Returns: what to send next; `nil` for nothing.
    mutating func didReply(to request: Request) -> Request? {
        guard isUnderWay(request) else { return nil }
        queues[request.path]?.removeFirst()
        if queues[request.path]?.isEmpty == true { queues[request.path] = nil }
        return queues[request.path]?.first
    }

    /// Whether a request was sent, and nothing has ended it.
    func isUnderWay(_ request: Request) -> Bool {
        queues[request.path]?.first?.id == request.id
    }

    /// Whether a request is under way, and may be sent again.
    func isWanted(_ request: Request) -> Bool {
        isUnderWay(request) && queues[request.path]?.first?.isWanted == true
    }

    /// Takes a request back that nobody waits for any longer, if it has not been sent.
    ///
    /// One that was is still answered, and holds up those behind it until then; it is not sent again.
    mutating func takeBack(_ request: Request) {
        guard let index = queues[request.path]?.firstIndex(where: { $0.id == request.id }) else {
            return
        }
        if index > 0 {
            queues[request.path]?.remove(at: index)
        } else {
            queues[request.path]?[index].isWanted = false
        }
    }

    /// Takes out all requests of a characteristic that is gone, and of its descriptors.
    mutating func removeAll(within path: ObjectPath) -> [Request] {
        let gone = queues.filter { $0.key.isWithin(path) }
        for path in gone.keys { queues[path] = nil }
        return gone.values.flatMap(\.self).sorted { $0.id < $1.id }
    }

    /// Takes out all requests.
    mutating func removeAll() -> [Request] {
        defer { queues = [:] }
        return queues.values.flatMap(\.self).sorted { $0.id < $1.id }
    }
}
