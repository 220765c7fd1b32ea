internal import BLELocking

/// What waits for one consumer, up to a limit; the end at which it goes in.
///
/// What there is no room for is dropped, and the consumer gets one element in its place that says how much: after all
/// that came before it, and before all that came later. So whoever takes a snapshot then has what the dropped would have said,
/// and reads nothing older.
package struct BoundedQueue<Element: Sendable>: Sendable {
    private enum Item: Sendable {
        case element(Element)
        /// Takes no room.
        case extra(Element)
        /// Where some were dropped, by its number.
        case gap(Int)
    }

    private struct Counts {
        var waiting = 0
        /// How many were dropped in each gap that waits: at most one gap for each element.
        var gaps: [Int: Int] = [:]
        /// The gap at the queue's end, if it ends with one.
        var openGap: Int?
        var lastGap = 0
    }

    /// Shared with the consumer, who may outlive the queue.
    private final class Ledger: Sendable {
        let counts = Locked(Counts())

        /// The element of an item, which waits no longer.
        func take(_ item: Item, missed: (Int) -> Element) -> Element {
            switch item {
            case .element(let element):
                counts.withLock { $0.waiting -= 1 }
                return element
            case .extra(let element):
                return element
            case .gap(let gap):
                let count = counts.withLock { counts in
                    if counts.openGap == gap { counts.openGap = nil }
                    return counts.gaps.removeValue(forKey: gap)
                }
                return missed(count ?? 0)
            }
        }
    }

    private let limit: Int
    private let ledger = Ledger()
    private let queue: AsyncStream<Item>.Continuation

    private init(limit: Int, _ queue: AsyncStream<Item>.Continuation) {
        self.limit = limit
        self.queue = queue
    }

    /// Makes a queue.
    ///
    /// - Parameters:
    ///   - limit: how many elements may wait, 1 or more.
    ///   - missed: makes the element that says how many were dropped.
    ///   - ended: called when there is no consumer any more, or the queue is finished.
    /// - Returns: the queue, and what waits in it, for one consumer.
    package static func make(
        limit: Int,
        missed: @escaping @Sendable (Int) -> Element,
        ended: @escaping @Sendable () -> Void = {}
    ) -> (queue: BoundedQueue, elements: AsyncStream<Element>) {
        let (items, continuation) = AsyncStream.makeStream(of: Item.self)
        continuation.onTermination = { _ in ended() }
        let queue = BoundedQueue(limit: limit, continuation)
        let elements = AsyncStream { [ledger = queue.ledger] in
            for await item in items { return ledger.take(item, missed: missed) }
            return nil
        }
        return (queue, elements)
    }

    /// Adds an element, if there is room.
    package func add(_ element: Element) {
        ledger.counts.withLock { counts in
            if counts.waiting < limit {
                counts.waiting += 1
                counts.openGap = nil
                queue.yield(.element(element))
            } else if let gap = counts.openGap {
                counts.gaps[gap, default: 0] += 1
            } else {
                counts.lastGap += 1
                counts.openGap = counts.lastGap
                counts.gaps[counts.lastGap] = 1
                queue.yield(.gap(counts.lastGap))
            }
        }
    }

    /// Adds an element for which there is always room; whoever adds it bounds how many there are.
    package func addAlways(_ element: Element) {
        ledger.counts.withLock { counts in
            counts.openGap = nil
            queue.yield(.extra(element))
        }
    }

    /// Adds no more; the consumer gets what waits, then the end.
    package func finish() { queue.finish() }
}
