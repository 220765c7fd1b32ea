import BLE
import BLETesting
import Testing

@testable import MeshRelay

/// As an iPhone whose app is in the background: it serves, and its advertisement does not say what.
@Suite("A node that does not say that it is one", .timeLimit(.minutes(10)))
struct HiddenNodeTests {
    @Test func `is not discovered, and hears who it connects to`() async throws {
        let scene = RelayScene([.individualNotifications, .namedSubscribers])
        let members = try await scene.members("alice", "bobby")
        let alice = members[0]
        let phone = await scene.air.radio("phone")
        let observer = await scene.air.radio("observer")
        await scene.air.simulateProximityChange(
            to: nil,
            between: phone,
            and: members[1].radio
        )
        let publication = try await phone.publish(
            RelayService.description,
            advertising: Advertisement(localName: "phone", serviceUUIDs: []),
            responder: NoResponder()
        )
        try await scene.pass {
            // Everything that it has to say is on the air before the other node is.
            for try await case .seen in try await observer.scan(ScanFilter()) { break }
            for member in members { try await member.node.start() }
            try await alice.waitUntilConnected(to: 1)
            #expect(await alice.node.peers[phone.peer] == nil)
            let link = try await phone.connectToNode()
            try await link.subscribe(to: RelayService.packets)
            for await case .changed(let neighbour) in alice.events
            where neighbour.id == phone.peer && neighbour.hears == true { break }
            await link.disconnect()
        }
        try await scene.stop(members)
        await publication.withdraw()
    }
}
