internal import Synchronization

/// Who hears what happens: held weakly, in the order in which they came.
///
/// Happenings wait in one queue and are told one after the other, each to one observer at a time.
/// Nobody who tells waits for that, so observers may do what they like meanwhile. For one that takes
/// too long the queue does not grow without end: what happens while it is full is not told, and the
/// observers hear how much that was.
actor Observers<Observer: Sendable> {
    /// Tells one observer of one happening.
    typealias Callback = @Sendable (Observer) async -> Void

    /// Tells one observer how many happenings it was not told.
    typealias MissingCallback = @Sendable (Observer, Int) async -> Void

    /// How many happenings may wait.
    static var maximumCount: Int { 4096 }

    private enum Entry {
        case happening(Callback)
        /// From here on in the queue the observer hears.
        case joined(ObjectIdentifier)
    }

    private struct Member {
        let id: ObjectIdentifier
        weak var object: AnyObject?
        var hears = false
    }

    private var members: [Member] = []
    private var tellMissing: MissingCallback?
    private let waiting = Atomic(0)
    private let missing = Atomic(0)
    private let queue: AsyncStream<Entry>.Continuation

    init() {
        let (entries, queue) = AsyncStream.makeStream(of: Entry.self)
        self.queue = queue
        // Ends with the queue, which ends in `deinit`.
        Task { [weak self] in
            for await entry in entries { await self?.handle(entry) }
        }
    }

    deinit {
        queue.finish()
    }

    /// Puts a happening into the queue, if there is room.
    nonisolated func tell(_ callback: @escaping Callback) {
        guard waiting.add(1, ordering: .relaxed).newValue <= Self.maximumCount else {
            waiting.subtract(1, ordering: .relaxed)
            missing.add(1, ordering: .relaxed)
            return
        }
        queue.yield(.happening(callback))
    }

    /// Lets an observer hear what happens from now on.
    ///
    /// - Parameters:
    ///   - observer: who is to hear.
    ///   - tellMissing: how to tell what was not told, to all observers from now on.
    func add(_ observer: Observer, _ tellMissing: @escaping MissingCallback = { _, _ in }) {
        self.tellMissing = tellMissing
        members.removeAll { $0.object == nil }
        guard !contains(observer) else { return }
        let object = observer as AnyObject
        members.append(Member(id: ObjectIdentifier(object), object: object))
        queue.yield(.joined(ObjectIdentifier(object)))
    }

    func remove(_ observer: Observer) {
        members.removeAll { $0.object === (observer as AnyObject) }
    }

    func contains(_ observer: Observer) -> Bool {
        members.contains { $0.object === (observer as AnyObject) }
    }

    private func handle(_ entry: Entry) async {
        switch entry {
        case .joined(let id):
            guard let index = members.firstIndex(where: { $0.id == id }) else { return }
            members[index].hears = true
        case .happening(let callback):
            waiting.subtract(1, ordering: .relaxed)
            await tellAll(callback)
            let count = missing.exchange(0, ordering: .relaxed)
            guard count > 0, let tellMissing else { return }
            await tellAll { await tellMissing($0, count) }
        }
    }

    private func tellAll(_ callback: Callback) async {
        for id in members.filter(\.hears).map(\.id) {
            // Looked up anew each time: an earlier callback may have removed it.
            guard let member = members.first(where: { $0.id == id }),
                let observer = member.object as? Observer
            else { continue }
            await callback(observer)
        }
    }
}
