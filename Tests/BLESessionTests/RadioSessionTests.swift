import BLE
import Testing

@testable import BLESession

@Suite(.timeLimit(.minutes(3)))
struct RadioSessionTests {
    private struct Failure: CodedError {
        let code: Int
    }

    /// A clock on which a sleep ends when the test says so.
    private struct StepClock: Clock {
        struct Instant: InstantProtocol {
            var offset = Duration.zero
            func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
            func duration(to other: Instant) -> Duration { other.offset - offset }
            static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
        }

        let sleeps = Feed<Void>()
        let ends = Feed<Void>()
        var now: Instant { Instant() }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            sleeps.continuation.yield()
            _ = await ends.next()
            try Task.checkCancellation()
        }
    }

    private let clock = StepClock()

    private func session(_ states: [RadioState], isClosed: Bool = false) -> RadioSession {
        RadioSession(
            states: {
                AsyncStream {
                    for state in states { $0.yield(state) }
                    if isClosed { $0.finish() }
                }
            },
            retryingAfter: .seconds(1),
            on: clock
        )
    }

    @Test("Each change of the radio's state is reported once, until the radio is closed")
    func watch() async {
        var reported: [RadioState] = []
        let session = session([.on, .off, .off, .absent, .on], isClosed: true)
        let isClosed = await session.watch(since: .on) { reported.append($0) }
        #expect(isClosed)
        #expect(reported == [.off, .absent, .on])
    }

    @Test("Watching ends with its task, which closes no radio")
    func watchCancelled() async {
        let session = session([.on])
        let watching = Task { await session.watch(since: .on) { _ in } }
        watching.cancel()
        #expect(await !watching.value)
    }

    @Test(
        "An attempt waits for the pause and for the radio, and failures of one kind are reported once"
    )
    func restore() async throws {
        let session = session([.off, .absent, .on])
        for _ in 1...5 { clock.ends.continuation.yield() }
        var codes = [1, 1, 2, 1]
        var reported: [Int] = []
        let made = try await session.restore(lastReported: 1) {
            if codes.isEmpty { return "made" }
            throw Failure(code: codes.removeFirst())
        } failure: {
            $0 as? Failure ?? Failure(code: 0)
        } report: {
            reported.append($0.code)
        }
        #expect(made == "made")
        #expect(reported == [2, 1])
        for _ in 1...5 { _ = await clock.sleeps.next() }
    }

    @Test("A failure that comes after the cancellation is not reported")
    func restoreCancelled() async {
        let session = session([.on])
        let attempts = Feed<Void>()
        clock.ends.continuation.yield()
        let restoring = Task {
            try await session.restore(lastReported: Int?.none) {
                attempts.continuation.yield()
                while !Task.isCancelled { await Task.yield() }
                throw Failure(code: 1)
            } failure: {
                $0 as? Failure ?? Failure(code: 0)
            } report: { _ in
                Issue.record("reported")
            }
        }
        _ = await attempts.next()
        restoring.cancel()
        await #expect(throws: CancellationError.self) { try await restoring.value }
    }
}
