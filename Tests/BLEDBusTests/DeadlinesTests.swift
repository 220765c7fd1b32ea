import BLELocking
import Dispatch
import Testing

@testable import BLEDBus

/// Work at a time: the value, and the thread that does it.
@Suite struct DeadlinesTests {
    private final class Log: Sendable {
        private let entries = Locked<[Int]>([])

        func note(_ number: Int) { entries.withLock { $0.append(number) } }

        var numbers: [Int] { entries.withLock { $0 } }
    }

    @Test func `are reached in the order of their times, then of their numbers`() {
        let start = ContinuousClock.now
        let log = Log()
        var deadlines = Deadlines()
        let milliseconds = [50, 20, 40, 20, 10, 60, 30]
        for (number, time) in milliseconds.enumerated() {
            deadlines.add(number, at: start + .milliseconds(time)) { log.note(number) }
        }
        deadlines.remove(2)
        deadlines.remove(2)
        #expect(deadlines.next == start + .milliseconds(10))
        while let work = deadlines.removeNext(until: start + .milliseconds(50)) { work() }
        #expect(log.numbers == [4, 1, 3, 6, 0])
        #expect(!deadlines.isEmpty)
        #expect(deadlines.next == start + .milliseconds(60))
        deadlines.remove(5)
        #expect(deadlines.isEmpty)
        #expect(deadlines.next == nil)
    }

    @Test func `that are removed soon take no memory until their time`() {
        let start = ContinuousClock.now
        var deadlines = Deadlines()
        for number in 0..<10_000 {
            deadlines.add(number, at: start + .seconds(60 - number % 7)) {}
            if number % 100 != 0 { deadlines.remove(number) }
        }
        #expect(deadlines.entryCount <= 2 * 100 + 17)
    }

    @Test func `are kept by a loop without a connection`() async {
        let loop = ConnectionLoop()
        let log = Log()
        let isPosted = DispatchSemaphore(value: 0)
        await withCheckedContinuation { continuation in
            let start = ContinuousClock.now
            // However late this thread posts the second one, the loop has both before the time of the first.
            loop.post { isPosted.wait() }
            _ = loop.post(at: start + .milliseconds(20)) {
                log.note(2)
                continuation.resume()
            }
            _ = loop.post(at: start + .milliseconds(10)) { log.note(1) }
            let cancelled = loop.post(at: start + .milliseconds(5)) { log.note(0) }
            loop.cancel(cancelled)
            isPosted.signal()
        }
        #expect(log.numbers == [1, 2])
    }

    @Test func `that the loop's thread cancels are not reached`() async {
        let loop = ConnectionLoop()
        let log = Log()
        await withCheckedContinuation { continuation in
            loop.post {
                // Due already: only the thread that cancels could reach it.
                let cancelled = loop.post(at: .now) { log.note(0) }
                loop.cancel(cancelled)
                _ = loop.post(at: .now) {
                    #expect(loop.isCurrent)
                    continuation.resume()
                }
            }
        }
        #expect(log.numbers.isEmpty)
    }

    @Test(
        arguments: [
            (.seconds(-1), 0), (.zero, 0), (.nanoseconds(1), 1), (.milliseconds(20), 21),
            (.seconds(3600), 3_600_001), (.milliseconds(Int32.max), .max),
            (.seconds(Int64.max), .max), (Duration.seconds(Int64.max) * 10, .max),
        ] as [(Duration, Int32)]
    )
    func `are waited for, however far they are`(left: Duration, milliseconds: Int32) {
        #expect(ConnectionLoop.milliseconds(left) == milliseconds)
    }
}
