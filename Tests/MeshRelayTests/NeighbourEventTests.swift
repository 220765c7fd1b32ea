import BLE
import BLETesting
import Testing

@testable import MeshRelay

@Suite("What a node tells of its neighbours", .timeLimit(.minutes(10)))
struct NeighbourEventTests {
    /// Whoever counts them by the events has as many as there are.
    @Test(arguments: [false, true])
    func `is that they are gone when it is stopped, or its radio is off`(
        isOff: Bool
    ) async throws {
        let scene = RelayScene()
        let members = try await scene.members("alice", "bobby")
        let (alice, bob) = (members[0], members[1])
        let events = await alice.node.events
        try await scene.pass {
            for member in members { try await member.node.start() }
            try await alice.waitUntilConnected(to: 1)
            if isOff {
                await alice.radio.simulatePowerOff()
            } else {
                await alice.node.stop()
            }
            var told: [Bool] = []
            loop: for await event in events {
                switch event {
                case .connected(let neighbour):
                    #expect(neighbour.id == bob.radio.peer)
                    told.append(true)
                case .disconnected(let neighbour, _):
                    #expect(neighbour.id == bob.radio.peer && !neighbour.isHeard)
                    told.append(false)
                case .becameUnready: break loop
                default: break
                }
            }
            #expect(told == [true, false])
            await alice.radio.simulatePowerOn()
        }
        try await scene.stop(members)
    }
}
