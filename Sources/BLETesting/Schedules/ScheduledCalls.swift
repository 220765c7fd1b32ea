/// What a schedule's users have begun, and what of it has not ended.
///
/// Unchecked, as ``Scheduler``.
package final class ScheduledCalls: @unchecked Sendable {
    private let schedule: Schedule
    private var open: [Int: String] = [:]
    private var lastNumber = 0

    package init(_ schedule: Schedule) { self.schedule = schedule }

    /// Begins something, which may fail.
    package func begin(_ name: String, _ work: @escaping @Sendable () async throws -> Void) {
        begin(name, mayFail: true, work)
    }

    /// Does something that must succeed, in as much time as it needs.
    package func perform(_ name: String, _ work: @escaping @Sendable () async throws -> Void) {
        let number = begin(name, mayFail: false, work)
        passTime(until: "\(name) ends") { self.open[number] == nil }
    }

    /// Lets all that was begun end.
    package func finish() { passTime(until: "all ends: \(open.values.sorted())") { open.isEmpty } }

    /// Lets time pass until something is so; it is a fault when that never comes.
    package func passTime(until what: @autoclosure () -> String, _ isSo: () -> Bool) {
        schedule.settle()
        for _ in 0..<2_000 where !isSo() { passTime() }
        if !isSo() { schedule.fault("it does not come to it that \(what())") }
    }

    /// Lets time pass to the next limit, and all happen that comes of it.
    package func passTime() {
        schedule.settle()
        schedule.sleepers.advance()
        schedule.settle()
    }

    @discardableResult
    private func begin(
        _ name: String,
        mayFail: Bool,
        _ work: @escaping @Sendable () async throws -> Void
    ) -> Int {
        lastNumber += 1
        let number = lastNumber
        open[number] = name
        Task {
            do {
                try await work()
                self.schedule.note("\(name): done")
            } catch {
                self.schedule.note("\(name): \(error)")
                if !mayFail { self.schedule.fault("\(name) failed: \(error)") }
            }
            self.open[number] = nil
        }
        return number
    }
}
