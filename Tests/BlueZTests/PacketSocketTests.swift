import BLEDBus
import Testing

@testable import BlueZ

@Suite("A socket of packets", .timeLimit(.minutes(10)))
struct PacketSocketTests {
    @Test func `brings what was sent before its other end was closed, packets without bytes too`()
        async throws
    {
        let (socket, end) = try #require(PacketSocket.pair())
        let other = PacketSocket(end)
        let sent: [[UInt8]] = [[], [1], [], [], [2]]
        for packet in sent { #expect(try await other.send(packet) == .sent) }
        other.close()
        var received: [[UInt8]] = []
        await #expect(throws: PacketSocket.Ending.closed) {
            for try await packet in socket.takePackets() { received.append(packet) }
        }
        #expect(received == sent)
    }
}
