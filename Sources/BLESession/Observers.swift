internal import Synchronization

/// An actor's observers: held weakly, called in the order in which they were added.
///
/// Calls wait in one queue and are made one after the other, each to one observer at a time. Whoever
/// adds a call does not wait, so observers may do what they like meanwhile. The queue is bounded: calls
/// that are added while it is full are dropped, and the observers are told in their place how many.
package actor Observers<Observer: Sendable> {
    /// Calls one observer.
    package typealias Callback = @Sendable (Observer) async -> Void

    /// Tells one observer how many calls were dropped.
    package typealias DroppedCallback = @Sendable (Observer, Int) async -> Void

    /// How many calls may wait.
    package static var maximumCount: Int { 4096 }

    private enum Entry {
        case call(Callback)
        /// The member of this number gets the calls after this one.
        case added(Int)
        /// So many calls were dropped.
        case dropped(Int)
    }

    private struct Member {
        /// Tells an observer that was removed and added again from what it was before.
        let id: Int
        weak var object: AnyObject?
        var isCalled = false
    }

    private var members: [Member] = [] {
        didSet { memberCount.store(members.count, ordering: .releasing) }
    }
    /// Read without waiting: without observers no call waits for nobody.
    private let memberCount = Atomic(0)
    private var tellDropped: DroppedCallback?
    private var lastID = 0
    private let queue: BoundedQueue<Entry>

    package init() {
        let (queue, entries) = BoundedQueue.make(limit: Self.maximumCount, missed: Entry.dropped)
        self.queue = queue
        // Ends with the queue, which ends in `deinit`.
        Task { [weak self] in
            for await entry in entries { await self?.handle(entry) }
        }
    }

    deinit {
        queue.finish()
    }

    /// Calls all observers after the calls that wait already, if there is room.
    package nonisolated func call(_ callback: @escaping Callback) {
        guard memberCount.load(ordering: .acquiring) > 0 else { return }
        queue.add(.call(callback))
    }

    /// Adds an observer; it gets the calls from now on.
    ///
    /// - Parameters:
    ///   - observer: who is to be called.
    ///   - tellDropped: how to tell that calls were dropped, for all observers from now on.
    package func add(
        _ observer: Observer,
        _ tellDropped: @escaping DroppedCallback = { _, _ in }
    ) {
        self.tellDropped = tellDropped
        members.removeAll { $0.object == nil }
        guard !contains(observer) else { return }
        lastID += 1
        members.append(Member(id: lastID, object: observer as AnyObject))
        queue.addAlways(.added(lastID))
    }

    package func remove(_ observer: Observer) {
        members.removeAll { $0.object === (observer as AnyObject) }
    }

    package func contains(_ observer: Observer) -> Bool {
        members.contains { $0.object === (observer as AnyObject) }
    }

    private func handle(_ entry: Entry) async {
        switch entry {
        case .added(let id):
            guard let index = members.firstIndex(where: { $0.id == id }) else { return }
            members[index].isCalled = true
        case .call(let callback):
            await callAll(callback)
        case .dropped(let count):
            guard let tellDropped else { return }
            await callAll { await tellDropped($0, count) }
        }
    }

    private func callAll(_ callback: Callback) async {
        for id in members.filter(\.isCalled).map(\.id) {
            // Looked up anew each time: an earlier callback may have removed it.
            guard let member = members.first(where: { $0.id == id }),
                let observer = member.object as? Observer
            else { continue }
            await callback(observer)
        }
    }
}
