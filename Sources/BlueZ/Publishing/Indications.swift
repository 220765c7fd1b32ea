internal import BLE
internal import BLEDBus

/// Indications of a publication's characteristics: of each one at a time, in the order of the calls.
///
/// bluetoothd says that an indication was confirmed also when its time was over or the connection was
/// lost, and says so for each subscriber, whom it does not name. So it counts only when one central alone
/// was connected all the time.
///
/// A value: it says what to send next.
struct Indications {
    /// How many may wait for one characteristic; more fail as busy.
    static let maximumCount = 256

    /// One indication and who waits for its outcome.
    struct Indication {
        let id: Int
        let value: [UInt8]
        let outcome: Promise<Confirmation>
    }

    private struct Queue {
        /// The first one has been sent if `isSent`.
        var waiting: [Indication] = []
        var isSent = false
        /// Whether the confirmation of that one has come, and counts once what was signalled before it is handled.
        var isSettling = false
        /// Whether a confirmation can only be the single central's.
        var isCertain = false
        /// Whether several may have got one of those before, of whom each confirms it.
        var isShared = false
        /// The same, before what is outstanding.
        var wasShared = false
        /// What was sent last.
        var lastSent: Int?
        /// Whether a confirmation of an earlier one may come yet.
        var isLate = false
    }

    private var queues: [AttributeID: Queue] = [:]
    private var lastID = 0

    /// Adds an indication at its characteristic's end.
    ///
    /// - Returns: the indication; `nil` when too many wait.
    mutating func add(_ value: [UInt8], of characteristic: AttributeID) -> Indication? {
        guard queues[characteristic, default: Queue()].waiting.count < Self.maximumCount else {
            return nil
        }
        lastID += 1
        let indication = Indication(id: lastID, value: value, outcome: Promise())
        queues[characteristic, default: Queue()].waiting.append(indication)
        return indication
    }

    /// What is to be sent now; it counts as sent.
    ///
    /// - Parameters:
    ///   - characteristic: the characteristic.
    ///   - isSingle: whether exactly one central is connected.
    /// - Returns: the indication; `nil` when one is outstanding, or none waits.
    mutating func next(of characteristic: AttributeID, isSingle: Bool) -> Indication? {
        guard var queue = queues[characteristic], !queue.isSent, let first = queue.waiting.first
        else { return nil }
        queue.isSent = true
        queue.isSettling = false
        queue.isCertain = isSingle && !queue.isLate && !queue.isShared
        queue.wasShared = queue.isShared
        queue.isShared = queue.isShared || !isSingle
        queue.lastSent = first.id
        queues[characteristic] = queue
        return first
    }

    /// The outstanding indication of a characteristic, if there is one.
    func outstanding(of characteristic: AttributeID) -> Int? {
        guard let queue = queues[characteristic], queue.isSent else { return nil }
        return queue.waiting.first?.id
    }

    /// The characteristics of which a value was sent that may be confirmed yet.
    var unconfirmed: [AttributeID] {
        queues.filter { $0.value.isSent || $0.value.isLate }.map(\.key)
    }

    /// A central connected or disconnected: a confirmation says nothing certain any more.
    mutating func didChangeCentrals() {
        for characteristic in queues.keys { queues[characteristic]?.isCertain = false }
    }

    /// The confirmation of what is outstanding has come; whose it is shows in what was signalled before it.
    mutating func willSettle(_ characteristic: AttributeID) {
        queues[characteristic]?.isSettling = true
    }

    /// Nobody has subscribed to a characteristic any longer.
    ///
    /// The confirmation of what was outstanding may come yet, unless one has come that can be of nothing else; nothing else of
    /// before does.
    mutating func didUnsubscribe(_ characteristic: AttributeID) {
        guard let queue = queues[characteristic] else { return }
        let isConfirmed = queue.isSettling && !queue.isShared && !queue.isLate
        let mayBeConfirmed = queue.isSent && !isConfirmed
        queues[characteristic]?.isCertain = false
        end(of: characteristic)
        if !mayBeConfirmed { queues[characteristic]?.isShared = false }
        queues[characteristic]?.isLate = mayBeConfirmed
    }

    /// A confirmation came that none of those outstanding waits for.
    mutating func didConfirmLate(_ characteristic: AttributeID) {
        queues[characteristic]?.isLate = false
    }

    /// The outstanding indication of a characteristic has ended.
    mutating func end(of characteristic: AttributeID) {
        guard var queue = queues[characteristic], queue.isSent else { return }
        let isConfirmed = queue.isCertain
        let indication = queue.waiting.removeFirst()
        queue.isSent = false
        queues[characteristic] = queue
        indication.outcome.fulfil(.success(isConfirmed ? .confirmed : .unconfirmed))
    }

    /// The outstanding indication of a characteristic was not sent after all.
    mutating func drop(of characteristic: AttributeID) {
        queues[characteristic]?.isCertain = false
        if let wasShared = queues[characteristic]?.wasShared {
            queues[characteristic]?.isShared = wasShared
        }
        end(of: characteristic)
    }

    /// The time of an indication is over.
    ///
    /// When it ended before, and none was sent since, no confirmation may come any more: the first who confirmed it ended it, and
    /// the others have by now.
    mutating func expire(_ id: Int, of characteristic: AttributeID) {
        guard outstanding(of: characteristic) == id else {
            guard queues[characteristic]?.lastSent == id else { return }
            queues[characteristic]?.isShared = false
            queues[characteristic]?.isLate = false
            return
        }
        queues[characteristic]?.isCertain = false
        queues[characteristic]?.isLate = true
        end(of: characteristic)
    }

    /// Takes back an indication that nobody waits for any longer, unless it has been sent.
    mutating func takeBack(_ id: Int, of characteristic: AttributeID) {
        guard outstanding(of: characteristic) != id else { return }
        queues[characteristic]?.waiting.removeAll { $0.id == id }
    }

    /// The publication has ended.
    mutating func failAll(_ error: RadioError) {
        for queue in queues.values {
            for indication in queue.waiting { indication.outcome.fail(error) }
        }
        queues = [:]
    }
}
