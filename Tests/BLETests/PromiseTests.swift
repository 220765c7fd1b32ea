import BLE
import Testing

@Suite("A promise", .timeLimit(.minutes(10)))
struct PromiseTests {
    private struct Failure: Error {}

    @Test func `gives what was told first`() async throws {
        let promise = Promise<Int>()
        promise.fulfil(.success(1))
        promise.fulfil(.success(2))
        promise.fail(Failure())
        #expect(try await promise.wait() == 1)
    }

    @Test func `fails`() async {
        let promise = Promise<Int>()
        promise.fail(Failure())
        promise.fulfil(.success(1))
        await #expect(throws: Failure.self) { try await promise.wait() }
    }

    @Test func `ends with the cancellation of who waits`() async {
        let promise = Promise<Int>()
        let task = Task { try await promise.wait() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
