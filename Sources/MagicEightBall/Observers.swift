/// Who hears what happens: held weakly, in the order in which they came.
///
/// Happenings wait in one queue and are told one after the other, each to one observer at a time.
/// Nobody who tells waits for that, so observers may do what they like meanwhile.
actor Observers<Observer: Sendable> {
    /// Tells one observer of one happening.
    typealias Callback = @Sendable (Observer) async -> Void

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

    /// Puts a happening into the queue.
    nonisolated func tell(_ callback: @escaping Callback) {
        queue.yield(.happening(callback))
    }

    func add(_ observer: Observer) {
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
            for id in members.filter(\.hears).map(\.id) {
                // Looked up anew each time: an earlier callback may have removed it.
                guard let member = members.first(where: { $0.id == id }),
                    let observer = member.object as? Observer
                else { continue }
                await callback(observer)
            }
        }
    }
}
