import BLETesting
import Testing

@Suite("A manual clock", .timeLimit(.minutes(10)))
struct ManualClockTests {
    private let clock = ManualClock()

    @Test func `stands still until it is advanced`() async throws {
        let start = clock.now
        let sleep = Task { [clock] in
            try await clock.sleep(for: .seconds(2))
            return clock.now
        }
        await clock.waitForSleeper(for: .seconds(2))
        #expect(clock.now == start)
        await clock.advance(by: .seconds(1))
        await clock.waitForSleeper(for: .seconds(1))
        await clock.advance(by: .milliseconds(1500))
        #expect(try await sleep.value == start.advanced(by: .milliseconds(2500)))
    }

    @Test(arguments: [Duration.seconds(2365), .milliseconds(295_149)])
    func `is advanced to the nanosecond`(duration: Duration) async throws {
        let start = clock.now
        let sleep = Task { [clock] in try await clock.sleep(for: duration) }
        await clock.pass(duration)
        #expect(start.duration(to: clock.now) == duration)
        try await sleep.value
    }

    @Test func `does not let those sleep whose time has come`() async throws {
        await clock.advance(by: .seconds(1))
        try await clock.sleep(until: clock.now)
        try await clock.sleep(for: .seconds(-1))
    }

    @Test func `ends a sleep with its task`() async throws {
        let sleep = Task { [clock] in try await clock.sleep(for: .seconds(1)) }
        await clock.waitForSleeper(for: .seconds(1))
        sleep.cancel()
        await #expect(throws: CancellationError.self) { try await sleep.value }
        let late = Task { [clock] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .zero)
        }
        await #expect(throws: CancellationError.self) { try await late.value }
    }

    @Test func `says when several sleep about as long`() async throws {
        let sleeps = (1...3).map { seconds in
            Task { [clock] in try await clock.sleep(for: .seconds(seconds)) }
        }
        await clock.waitForSleeper(for: .seconds(2) ... .seconds(3), count: 2)
        await clock.pass(.seconds(1))
        try await sleeps[0].value
        await clock.waitForSleeper(for: .seconds(1) ... .seconds(2), count: 2)
        await clock.pass(.seconds(2))
        for sleep in sleeps { try await sleep.value }
    }

    @Test func `wakes the earliest first`() async throws {
        let (order, wake) = AsyncStream.makeStream(of: Int.self)
        for seconds in [3, 1, 2] {
            Task { [clock] in
                try await clock.sleep(for: .seconds(seconds))
                wake.yield(seconds)
            }
            await clock.waitForSleeper(for: .seconds(seconds))
        }
        for seconds in 1...3 {
            await clock.advance(by: .seconds(1))
            for await woken in order {
                #expect(woken == seconds)
                break
            }
        }
    }

    @Test func `ends a wait for a sleeper with its task`() async {
        let wait = Task { [clock] in await clock.waitForSleeper(for: .seconds(1)) }
        wait.cancel()
        await wait.value
    }

    @Test(arguments: [
        (elapsed: Duration.microseconds(400), step: Duration.milliseconds(8)),
        (.milliseconds(5), .milliseconds(10)), (.milliseconds(40), .milliseconds(20)),
        (.seconds(8), .milliseconds(25)),
    ])
    func `goes in small steps also when nothing ran for seconds`(elapsed: Duration, step: Duration)
    {
        #expect(ManualClock.step(after: elapsed) == step)
    }
}
