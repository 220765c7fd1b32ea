import BLE
import BLETesting
import Testing

@testable import MeshRelay

@Suite("A neighbour that only writes", .timeLimit(.minutes(10)))
struct RateTests {
    /// Nobody sees it, and it hears nothing.
    @Test(arguments: RelayScene.features)
    func `may send no more when it was silent for a while`(
        features: RadioCapabilities.Features
    ) async throws {
        let scene = RelayScene(features)
        var limits = RelayLimits()
        limits.neighbourRate = 2
        limits.rateTime = .seconds(3_600)
        var timeouts = RelayTimeouts()
        timeouts.loss = .seconds(5)
        let alice = try await scene.member("alice", limits: limits, timeouts: timeouts)
        let phone = await scene.air.radio("phone")
        try await scene.pass {
            try await alice.node.start()
            let link = try await phone.connectToNode()
            func write(_ ids: ClosedRange<Int32>) async throws {
                for id in ids {
                    let packet = RelayPacket(
                        id: id,
                        kind: .message,
                        sender: "x\(id)#1",
                        receiver: "y#1",
                        text: "AAAA"
                    )
                    try await link.write(packet.encoded(for: .second), to: RelayService.packets)
                }
            }
            try await write(1...3)
            // For longer than one is remembered that is not seen.
            try await scene.clock.sleep(for: .seconds(20))
            try await write(4...6)
            await link.disconnect()
        }
        let counters = await alice.node.counters
        #expect(counters.relayed == 2 && counters.dropped == [.neighbourRate: 4])
        try await scene.stop([alice])
    }
}
