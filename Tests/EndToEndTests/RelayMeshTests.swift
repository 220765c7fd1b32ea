import BLE
import BLEDBus
import BlueZ
import MeshRelay
import Testing
import VirtualBlueZ

/// Nodes of a mesh, each on an adapter of its own.
@Suite("A mesh", .timeLimit(.minutes(10)))
struct RelayMeshTests {
    private struct Member {
        let radio: Adapter
        let node: RelayNode
        let events: AsyncStream<RelayEvent>

        static func start(
            _ names: [String],
            in world: any World
        ) async throws -> [Member] {
            var members: [Member] = []
            for (index, name) in names.enumerated() {
                let radio = try await Adapter.open("hci\(index)", onBusAt: world.bus.rawValue)
                let node = RelayNode(
                    radio: radio,
                    identity: RelayIdentity(),
                    address: try RelayAddress("\(name)#1234")
                )
                members.append(Member(radio: radio, node: node, events: await node.events))
            }
            for member in members {
                for other in members where other.node !== member.node {
                    try await member.node.add(other.node.link)
                }
            }
            for member in members { try await member.node.start() }
            return members
        }

        static func stop(_ members: [Member]) async {
            for member in members { await member.node.stop() }
            for member in members { await member.radio.close() }
        }

        func nextMessage() async throws -> RelayMessage {
            for await case .received(let message) in events { return message }
            throw CancellationError()
        }

        func waitForDelivery(of id: Int32) async throws {
            for await case .delivered(let delivered, _) in events where delivered == id { return }
            throw CancellationError()
        }
    }

    @Test(arguments: [BlueZVersion.v5_66, .v5_82, .v5_87])
    func `of two carries messages both ways, and receipts`(version: BlueZVersion) async throws {
        guard WorldKind.current == .virtual || version == .v5_66 else { return }
        try await check("two nodes, \(version)", version: version) { world in
            let members = try await Member.start(["alice", "bobby"], in: world)
            let (alice, bob) = (members[0], members[1])
            for (one, other) in [(alice, bob), (bob, alice)] {
                let id = try await one.node.send("Hi 👋", to: other.node.address)
                let message = try await other.nextMessage()
                #expect(message.text == "Hi 👋" && message.sender == one.node.address)
                try await one.waitForDelivery(of: id)
                await other.node.markRead([id], of: one.node.address)
                for await case .read(let ids, _) in one.events {
                    #expect(ids == [id])
                    break
                }
            }
            await Member.stop(members)
        }
    }

    @Test(arguments: [BlueZVersion.v5_66, .v5_82, .v5_87])
    func `carries a message past who is between`(version: BlueZVersion) async throws {
        try await check(
            "three nodes, \(version)",
            adapters: 3,
            version: version,
            virtualOnlyBecause: "in the emulated air everybody is in reach"
        ) { world in
            let virtual = try #require(world as? VirtualWorld)
            try await virtual.pull(
                "SetProximity",
                [.uint32(0), .uint32(2), .string("outOfRange")]
            )
            let members = try await Member.start(["alice", "bobby", "carol"], in: world)
            let (alice, bob, carol) = (members[0], members[1], members[2])
            let id = try await alice.node.send("to Carol", to: carol.node.address)
            #expect(try await carol.nextMessage().text == "to Carol")
            try await alice.waitForDelivery(of: id)
            #expect(await bob.node.counters.relayed == 2)
            await Member.stop(members)
        }
    }
}
