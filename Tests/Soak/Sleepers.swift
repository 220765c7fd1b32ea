import BLEDBus
import BLELocking

/// Who waits for a time, on which clock's time.
final class Sleepers: Sendable {
    private typealias Continuation = CheckedContinuation<Void, any Error>

    private struct State {
        var now = Duration.zero
        var jumps = 0
        var lastID = 0
        var continuations: [Int: Continuation] = [:]
        var cancelled: Set<Int> = []
        /// A binary heap: none is due later than those at twice its place, and one beyond.
        var heap: [(due: Duration, id: Int)] = []
    }

    private let state = Locked(State())
    private let stop = Locked(false)

    /// Whether time stands still; when it is set, the clock's thread is done with what it does.
    var isStopped: Bool {
        get { stop.withLock { $0 } }
        set { stop.withLock { $0 = newValue } }
    }

    func unlessStopped(_ work: () -> Bool) -> Bool {
        stop.withLock { isStopped in !isStopped && work() }
    }

    var now: Duration { state.withLock(\.now) }

    var jumps: Int { state.withLock(\.jumps) }

    var count: Int { state.withLock(\.continuations.count) }

    func nextID() -> Int {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    func add(_ id: Int, until due: Duration, _ continuation: CheckedContinuation<Void, any Error>) {
        let outcome: Result<Void, any Error>? = state.withLock { state in
            if state.cancelled.contains(id) { return .failure(CancellationError()) }
            if due <= state.now { return .success(()) }
            state.continuations[id] = continuation
            Self.push((due, id), to: &state.heap)
            return nil
        }
        if let outcome { continuation.resume(with: outcome) }
    }

    func cancel(_ id: Int) {
        let continuation = state.withLock { state in
            state.cancelled.insert(id)
            return state.continuations.removeValue(forKey: id)
        }
        continuation?.resume(throwing: CancellationError())
    }

    func forget(_ id: Int) {
        state.withLock { state in _ = state.cancelled.remove(id) }
    }

    /// Goes on to the time that is waited for next.
    ///
    /// - Returns: whether anybody waits.
    func wakeNext() -> Bool {
        let due = state.withLock { state in
            var due: [CheckedContinuation<Void, any Error>] = []
            while let next = state.heap.first, due.isEmpty || next.due <= state.now {
                Self.popFirst(of: &state.heap)
                guard let sleeper = state.continuations.removeValue(forKey: next.id) else {
                    // It was cancelled.
                    continue
                }
                state.now = max(state.now, next.due)
                due.append(sleeper)
            }
            if !due.isEmpty { state.jumps += 1 }
            return due
        }
        for continuation in due { continuation.resume() }
        return !due.isEmpty
    }

    private static func push(
        _ new: (due: Duration, id: Int),
        to heap: inout [(due: Duration, id: Int)]
    ) {
        heap.append(new)
        var place = heap.count - 1
        while place > 0, heap[place] < heap[(place - 1) / 2] {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private static func popFirst(of heap: inout [(due: Duration, id: Int)]) {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var place = 0
        while true {
            let children = [2 * place + 1, 2 * place + 2].filter { $0 < heap.count }
            guard let child = children.min(by: { heap[$0] < heap[$1] }), heap[child] < heap[place]
            else { return }
            heap.swapAt(place, child)
            place = child
        }
    }
}
