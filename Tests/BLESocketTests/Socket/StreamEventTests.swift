import BLE
import BLETesting
import Testing

@testable import BLESocket

@Suite("What a socket with a stream tells", .timeLimit(.minutes(10)))
struct StreamEventTests {
    /// As when all of a window has come but its first packet.
    @Test func `has what comes at once in pieces`() async throws {
        var configuration = SocketScene.stream
        configuration.encryption = nil
        let scene = await SocketScene(mtuBytes: 517, configuration)
        let events = await scene.listener.events
        let opening = Task { try await scene.listener.open() }
        let link = try await scene.central.subscribed()
        let hello = StreamFrame.hello(
            .init(session: 1, received: 0, limit: 1_000, isKnown: false)
        )
        let data = (0..<20 as Range<UInt32>).reversed().map { number in
            StreamFrame.data(offset: number * 500, [UInt8](repeating: 1, count: 500))
        }
        for frame in [hello] + data {
            try await link.writeWithoutResponse(frame.bytes, to: SocketScene.inbox)
        }
        try await opening.value
        var byteCounts: [Int] = []
        for await case .received(let bytes) in events {
            byteCounts.append(bytes.count)
            if byteCounts.reduce(0, +) == 10_000 { break }
        }
        #expect(byteCounts == [4_096, 4_096, 1_808])
    }
}
