import BLE
import BLETesting
import Testing

@testable import BLESession

@Suite(.timeLimit(.minutes(10)))
struct RadioSessionTests {
    private struct Failure: CodedError {
        let code: Int
    }

    private let clock = ManualClock()

    private func session(
        _ states: [RadioState],
        isClosed: Bool = false,
        retryingAfter pause: Duration = .seconds(1)
    ) -> RadioSession {
        RadioSession(
            states: {
                AsyncStream {
                    for state in states { $0.yield(state) }
                    if isClosed { $0.finish() }
                }
            },
            retryingAfter: pause,
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

    @Test("Waiting for a radio ends when it is on, and when it was closed for good")
    func waitUntilOn() async throws {
        #expect(try await session([.off, .on]).waitUntilOn(for: nil))
        for limit in [nil, Duration.seconds(1)] {
            let isThere = try await session([.off, .absent], isClosed: true).waitUntilOn(for: limit)
            #expect(!isThere)
        }
    }

    @Test(
        "An attempt waits for the pause and for the radio, and failures of one kind are reported once"
    )
    func restore() async throws {
        let session = session([.off, .absent, .on])
        let passing = Task { for _ in 1...5 { await clock.pass(.seconds(1)) } }
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
        await passing.value
    }

    @Test("An attempt leaves time for others, though no pause is asked for")
    func restoreWithoutPause() async throws {
        let session = session([.on], retryingAfter: .zero)
        let restoring = Task {
            try await session.restore(lastReported: Int?.none) {
                "made"
            } failure: {
                $0 as? Failure ?? Failure(code: 0)
            } report: { _ in
            }
        }
        await clock.waitForSleeper(for: .milliseconds(10))
        await clock.advance(by: .milliseconds(10))
        #expect(try await restoring.value == "made")
    }

    @Test("A failure that comes after the cancellation is not reported")
    func restoreCancelled() async {
        let session = session([.on])
        let attempts = Feed<Void>()
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
        await clock.pass(.seconds(1))
        _ = await attempts.next()
        restoring.cancel()
        await #expect(throws: CancellationError.self) { try await restoring.value }
    }
}
