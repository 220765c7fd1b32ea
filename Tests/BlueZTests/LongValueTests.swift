import BLE
import Testing

@testable import BlueZ

@Suite("The longest value", .timeLimit(.minutes(10)))
struct LongValueTests {
    /// Core specification, Vol 3, Part F, 3.2.9.
    @Test func `that is published has 512 bytes`() async throws {
        let ball = try await PublishedBall()
        let answer = World.answer
        try await ball.publication.update(answer, to: [UInt8](repeating: 7, count: 512))
        await #expect {
            try await ball.publication.update(answer, to: [UInt8](repeating: 7, count: 513))
        } throws: {
            isRadioError(.valueTooLong)($0)
        }
        await ball.adapter.close()
    }
}
