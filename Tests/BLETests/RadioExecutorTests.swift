import BLE
import BLETesting
import Testing

/// The executor that BLE has for radios without a thread, and what is built on any.
@Suite(.timeLimit(.minutes(10)))
struct RadioExecutorTests {
    /// An actor on a queue.
    private actor Owner {
        let queue: RadioQueue
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            queue.asUnownedSerialExecutor()
        }
        private(set) var lines: [String] = []

        init(_ queue: RadioQueue) { self.queue = queue }

        func note(_ line: String) { lines.append(line) }

        /// What a callee without an actor finds.
        nonisolated func isOnQueue() async -> Bool { queue.isIsolatingCurrentContext() == true }
    }

    @Test func `runs actors, tasks and calls, one after the other`() async {
        let queue = RadioQueue()
        let owner = Owner(queue)
        #expect(queue.isIsolatingCurrentContext() == false)
        await withCheckedContinuation { continuation in
            for number in 0..<100 {
                queue.call { owner.assumeIsolated { $0.note("\(number)") } }
            }
            queue.call { continuation.resume() }
        }
        #expect(await owner.lines == (0..<100).map { "\($0)" })
    }

    @Test func `keeps a task of an actor, and what that calls`() async {
        let queue = RadioQueue()
        let owner = Owner(queue)
        await queue.task(of: owner) { owner in
            owner.note(await owner.isOnQueue() ? "on the queue" : "elsewhere")
        }.value
        #expect(await owner.lines == ["on the queue"])
        #expect(await !owner.isOnQueue())
    }

    @Test func `measures limits, in the order of their times`() async {
        let queue = RadioQueue()
        let owner = Owner(queue)
        let clock = queue.clock
        await withCheckedContinuation { continuation in
            queue.call {
                let cancelled = Deadline(after: .zero, on: clock, of: owner) { $0.note("never") }
                _ = Deadline(after: .seconds(1), on: clock, of: owner) {
                    $0.note("second")
                    continuation.resume()
                }
                _ = Deadline(after: .milliseconds(1), on: clock, of: owner) { $0.note("first") }
                cancelled.cancel()
            }
        }
        #expect(await owner.lines == ["first", "second"])
    }

    @Test func `wakes who sleeps, and those who are cancelled at once`() async throws {
        let queue = RadioQueue()
        try await queue.clock.sleep(for: .milliseconds(1))
        let sleep = Task { try await queue.clock.sleep(for: .seconds(1000)) }
        sleep.cancel()
        await #expect(throws: CancellationError.self) { try await sleep.value }
    }

    @Test func `does nothing for an owner that is gone`() async {
        let queue = RadioQueue()
        weak var weakOwner: Owner?
        do {
            let owner = Owner(queue)
            weakOwner = owner
            _ = Deadline(after: .seconds(1000), on: queue.clock, of: owner) { $0.note("never") }
        }
        #expect(weakOwner == nil)
    }

    @Test func `leaves the limits of another clock to that`() async {
        let clock = ManualClock()
        let owner = Owner(RadioQueue())
        let reached = Deadline(after: .seconds(2), on: clock, of: owner) { $0.note("reached") }
        let cancelled = Deadline(after: .seconds(2), on: clock, of: owner) { $0.note("never") }
        await clock.waitForSleeper(for: .seconds(2), count: 2)
        cancelled.cancel()
        await clock.advance(by: .seconds(2))
        await reached.task?.value
        await cancelled.task?.value
        #expect(await owner.lines == ["reached"])
    }
}
