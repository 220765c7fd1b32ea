package import BLE

/// The state of a schedule's radio, and who is told of it.
///
/// Unchecked, as ``Scheduler``.
package final class ScheduledPower: @unchecked Sendable {
    private let scheduler: Scheduler
    package private(set) var current = RadioState.on
    package private(set) var isClosed = false
    private var watchers: [Int: AsyncStream<RadioState>.Continuation] = [:]
    private var lastNumber = 0

    package init(_ scheduler: Scheduler) { self.scheduler = scheduler }

    package var watcherCount: Int { watchers.count }

    package func states() async -> AsyncStream<RadioState> {
        await scheduler.hop()
        let (states, continuation) = AsyncStream.makeStream(
            of: RadioState.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        lastNumber += 1
        let number = lastNumber
        watchers[number] = continuation
        continuation.onTermination = { _ in self.watchers[number] = nil }
        continuation.yield(current)
        if isClosed { continuation.finish() }
        return states
    }

    /// Each who watches is told, in any order.
    package func become(_ state: RadioState) {
        current = state
        for number in watchers.keys.sorted() {
            scheduler.later { self.watchers[number]?.yield(self.current) }
        }
    }

    /// The radio is closed for good.
    package func close() {
        isClosed = true
        for number in watchers.keys.sorted() {
            scheduler.later { self.watchers[number]?.finish() }
        }
    }
}
