import BLETesting
import Testing

@testable import BLE

/// Work within a time limit.
@Suite("A time limit", .timeLimit(.minutes(10)))
struct TimeLimitTests {
    private struct Refusal: Error {}

    /// Work that is refused, and ends 3 s after that, cancelled or not; its limit is 2 s.
    private func refusedWork(keepsErrors: Bool) async throws -> Int? {
        let clock = ManualClock()
        let isCancelled = Promise<Void>()
        async let outcome: Int? = withTimeLimit(.seconds(2), on: clock, keepsErrors: keepsErrors) {
            await withTaskCancellationHandler {
                await Task { try? await clock.sleep(for: .seconds(3)) }.value
            } onCancel: {
                isCancelled.fulfil()
            }
            throw Refusal()
        }
        await clock.waitForSleeper(for: .seconds(3))
        await clock.waitForSleeper(for: .seconds(2))
        await clock.pass(.seconds(2))
        // Else the work may be over before the limit is noticed.
        try await isCancelled.wait()
        await clock.pass(.seconds(1))
        return try await outcome
    }

    @Test func `is over for work that fails after it`() async throws {
        #expect(try await refusedWork(keepsErrors: false) == nil)
    }

    @Test func `keeps the error of work that takes its time to end`() async {
        await #expect(throws: Refusal.self) { try await refusedWork(keepsErrors: true) }
    }

    @Test func `is over for work that ends as it is cancelled`() async throws {
        let clock = ManualClock()
        async let outcome: Void? = withTimeLimit(.seconds(2), on: clock, keepsErrors: true) {
            try await clock.sleep(for: .seconds(3))
        }
        await clock.pass(.seconds(2))
        #expect(try await outcome == nil)
    }
}
