import Testing

@testable import BLESession

@Suite("Calls that wait for an end")
struct EndWaitersTests {
    @Test func `are not kept when they are cancelled`() async throws {
        var waiters = EndWaiters()
        let lasting = waiters.add()
        for _ in 0..<3 {
            let end = waiters.add()
            let call = Task { for try await _ in end {} }
            call.cancel()
            try await call.value
        }
        #expect(waiters.count == 2)
        waiters.end()
        for try await _ in lasting {}
        #expect(waiters.isEmpty)
    }
}
