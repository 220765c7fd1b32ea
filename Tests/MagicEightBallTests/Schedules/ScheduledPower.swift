import BLE

/// The state of a schedule's radio, and who is told of it.
///
/// Unchecked, as ``Scheduler``.
final class ScheduledPower: @unchecked Sendable {
    private let scheduler: Scheduler
    private(set) var current = RadioState.on
    private(set) var isClosed = false
    private var watchers: [Int: AsyncStream<RadioState>.Continuation] = [:]
    private var lastNumber = 0

    init(_ scheduler: Scheduler) { self.scheduler = scheduler }

    var watcherCount: Int { watchers.count }

    func states() async -> AsyncStream<RadioState> {
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
    func become(_ state: RadioState) {
        current = state
        for number in watchers.keys.sorted() {
            scheduler.later { self.watchers[number]?.yield(self.current) }
        }
    }

    /// The radio is closed for good.
    func close() {
        isClosed = true
        for number in watchers.keys.sorted() {
            scheduler.later { self.watchers[number]?.finish() }
        }
    }
}
