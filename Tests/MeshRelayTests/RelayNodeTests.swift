import BLE
import BLETesting
import Testing

@testable import MeshRelay

@Suite("Nodes", .timeLimit(.minutes(10)))
struct RelayNodeTests {
    @Test(arguments: RelayScene.features)
    func `send each other messages, and receipts`(features: RadioCapabilities.Features) async throws
    {
        let scene = RelayScene(features)
        let members = try await scene.members("alice", "bobby")
        let (alice, bob) = (members[0], members[1])
        let delivered = await alice.node.events
        try await scene.pass {
            for member in members { try await member.node.start() }
            let id = try await alice.node.send("Hi 👋", to: bob.node.address)
            let message = try await bob.nextMessage()
            #expect(message.text == "Hi 👋" && message.id == id)
            #expect(message.sender == alice.node.address)
            try await alice.waitForDelivery(of: id)
            await bob.node.markRead([id], of: alice.node.address)
            for await case .read(let ids, let contact) in delivered {
                #expect(ids == [id] && contact == bob.node.address)
                break
            }
        }
        try await scene.stop(members)
    }

    /// The message goes by the one between, and its acknowledgement back.
    @Test(arguments: RelayScene.features)
    func `relay for those who are not near each other`(
        features: RadioCapabilities.Features
    ) async throws {
        let scene = RelayScene(features)
        let members = try await scene.members("alice", "bobby", "carol")
        let (alice, bob, carol) = (members[0], members[1], members[2])
        await scene.separate(alice, carol)
        try await scene.pass {
            for member in members { try await member.node.start() }
            let id = try await alice.node.send("to Carol", to: carol.node.address)
            #expect(try await carol.nextMessage().text == "to Carol")
            try await alice.waitForDelivery(of: id)
            for await case .relayed(let relayed, let peer) in bob.events {
                #expect(relayed == id && peer == alice.radio.peer)
                break
            }
        }
        let counters = await bob.node.counters
        #expect(counters.relayed == 2 && counters.delivered == 0)
        try await scene.stop(members)
    }

    /// Whoever goes from one to the other carries it.
    @Test(arguments: RelayScene.features)
    func `keep messages for who comes later`(features: RadioCapabilities.Features) async throws {
        let scene = RelayScene(features)
        let members = try await scene.members("alice", "bobby", "carol")
        let (alice, bob, carol) = (members[0], members[1], members[2])
        await scene.separate(alice, carol)
        await scene.separate(bob, carol)
        try await scene.pass {
            for member in members { try await member.node.start() }
            let id = try await alice.node.send("later", to: carol.node.address)
            try await bob.waitUntilConnected(to: 1)
            while await bob.node.counters.relayed == 0 { await Task.yield() }
            await scene.separate(alice, bob)
            await scene.unite(bob, carol)
            #expect(try await carol.nextMessage().text == "later")
            while await bob.node.counters.relayed < 2 { await Task.yield() }
            await scene.separate(bob, carol)
            await scene.unite(alice, bob)
            try await alice.waitForDelivery(of: id)
        }
        try await scene.stop(members)
    }

    /// An app of one generation is sent what came from the other so that it can read it.
    @Test(arguments: RelayScene.features, [RelayGeneration.first, .second])
    func `send on what either generation has made to both`(
        features: RadioCapabilities.Features,
        generation: RelayGeneration
    ) async throws {
        let scene = RelayScene(features)
        let alice = try await scene.member("alice", generation: generation)
        let bob = try await scene.member("bobby")
        let carol = try await scene.member("carol")
        try await alice.node.add(carol.node.link)
        let app = await scene.air.radio("app", MemoryRadio.Configuration())
        await scene.air.simulateProximityChange(to: nil, between: app, and: alice.radio)
        let text = try await scene.pass {
            try await bob.node.start()
            let link = try await app.connectToNode()
            try await link.subscribe(to: RelayService.packets)
            try await alice.node.start()
            _ = try await alice.node.send("Hi", to: carol.node.address)
            for await case .notification(_, let bytes) in link.events {
                return String(decoding: bytes, as: UTF8.self)
            }
            throw CancellationError()
        }
        #expect(text.contains(#""kind":0"#) && text.contains(#""type":0"#), "\(text)")
        try await scene.stop([alice, bob])
    }

    /// What takes less than a phone does counts as one.
    @Test(arguments: [185, 23])
    func `say what does not fit the neighbour with the least room`(mtuBytes: Int) async throws {
        let scene = RelayScene([.individualNotifications, .namedSubscribers])
        let alice = try await scene.member("alice", generation: .second)
        let bob = try await scene.member("bobby", mtuBytes: mtuBytes)
        try await alice.node.add(bob.node.link)
        try await scene.pass {
            let address = bob.node.address
            try await alice.node.start()
            // Whoever comes may be a phone.
            #expect(await alice.node.maximumTextByteCount(to: address) == 47)
            try await bob.node.start()
            for await case .changed(let neighbour) in alice.events where neighbour.hears == true {
                break
            }
            let count = await alice.node.maximumTextByteCount(to: address)
            #expect(count == 47)
            // Also one that was sent before.
            for id in [nil, 7] as [Int32?] {
                let text = String(repeating: "x", count: count + 1)
                await #expect {
                    try await alice.node.send(text, to: address, id: id)
                } throws: {
                    ($0 as? RelayError)?.code == .tooLong
                }
            }
            _ = try await alice.node.send(String(repeating: "x", count: count), to: address)
        }
        try await scene.stop([alice, bob])
    }

    @Test func `tell of a message that they can't decrypt, and don't acknowledge it`() async throws
    {
        let scene = RelayScene()
        let alice = try await scene.member("alice")
        let bob = try await scene.member("bobby")
        try await alice.node.add(bob.node.link)
        let other = RelayLink(address: alice.node.address, key: RelayIdentity().key)
        try await bob.node.add(other)
        try await scene.pass {
            for member in [alice, bob] { try await member.node.start() }
            _ = try await alice.node.send("for Bob", to: bob.node.address)
            for await case .undecipherable(let sender) in bob.events {
                #expect(sender == alice.node.address)
                break
            }
        }
        #expect(await alice.node.counters.delivered == 0)
        let counters = await bob.node.counters
        #expect(counters.delivered == 1 && counters.ignored == [.notDecrypted: 1])
        try await scene.stop([alice, bob])
    }

    @Test func `go on when Bluetooth was off`() async throws {
        let scene = RelayScene()
        let members = try await scene.members("alice", "bobby")
        let (alice, bob) = (members[0], members[1])
        try await scene.pass {
            for member in members { try await member.node.start() }
            try await bob.waitUntilConnected(to: 1)
            await alice.radio.simulatePowerOff()
            for await case .becameUnready(let error) in alice.events {
                #expect(error.code == .bluetoothOff)
                break
            }
            // It is kept until then.
            let id = try await alice.node.send("still there", to: bob.node.address)
            await alice.radio.simulatePowerOn()
            #expect(try await bob.nextMessage().text == "still there")
            try await alice.waitForDelivery(of: id)
        }
        try await scene.stop(members)
    }

    /// As when the system's bus has ended: the radio does not come back to who has it.
    @Test func `end when their radio was closed for good`() async throws {
        let scene = RelayScene()
        let alice = try await scene.member("alice")
        let isAbsent = { @Sendable (error: any Error) in
            (error as? RelayError)?.code == .bluetoothAbsent
        }
        await #expect {
            try await scene.pass {
                try await alice.node.start()
                await alice.radio.close()
                try await alice.node.waitUntilEnded()
            }
        } throws: {
            isAbsent($0)
        }
        #expect(await alice.node.serving == nil)
        // Also for who asks later, and who starts it again.
        await #expect { try await alice.node.waitUntilEnded() } throws: { isAbsent($0) }
        await #expect { try await scene.pass { try await alice.node.start() } } throws: {
            isAbsent($0)
        }
    }

    @Test func `wait for their end, which is no error when they are stopped`() async throws {
        let scene = RelayScene()
        let alice = try await scene.member("alice")
        try await alice.node.waitUntilEnded()
        try await scene.pass {
            try await alice.node.start()
            let waiting = Task { try await alice.node.waitUntilEnded() }
            await alice.node.stop()
            try await waiting.value
        }
    }

    @Test func `drop a device that is no node, and let it be`() async throws {
        let scene = RelayScene()
        let alice = try await scene.member("alice")
        let radio = await scene.air.radio("phone", MemoryRadio.Configuration())
        let publication = try await radio.publish(
            GATTService(
                uuid: RelayService.uuid,
                characteristics: [GATTCharacteristic(uuid: "2A00", properties: .read)]
            ),
            advertising: Advertisement(localName: "phone", serviceUUIDs: [RelayService.uuid]),
            responder: NoResponder()
        )
        try await scene.pass {
            try await alice.node.start()
            while await alice.node.peers.values.allSatisfy({ $0.failureCount == 0 }) {
                await Task.yield()
            }
        }
        let peer = try #require(await alice.node.peers[radio.peer])
        #expect(peer.resting != nil && peer.connection == nil && peer.failureCount == 1)
        try await scene.stop([alice])
        await publication.withdraw()
    }

    /// A neighbour that has sent nothing for a while gives way to another one, and comes back when its turn comes.
    @Test(arguments: [(2, 7), (7, 2)])
    func `hear everybody in turn where there is no room for all`(
        connectionCount: Int,
        room: Int
    ) async throws {
        let scene = RelayScene()
        var limits = RelayLimits()
        limits.connectionCount = connectionCount
        var timeouts = RelayTimeouts()
        timeouts.silence = .seconds(5)
        let alice = try await scene.member(
            "alice",
            limits: limits,
            timeouts: timeouts,
            room: room
        )
        // They connect to nobody: what they made would take room, too, and is not this node's to end.
        var publications: [any Publication] = []
        for name in ["bobby", "carol", "david"] {
            publications.append(
                try await scene.air.radio(name, MemoryRadio.Configuration()).publish(
                    RelayService.description,
                    advertising: Advertisement(
                        localName: name,
                        serviceUUIDs: [RelayService.uuid]
                    ),
                    responder: NoResponder()
                )
            )
        }
        let start = scene.clock.now
        try await scene.pass {
            try await alice.node.start()
            var heard: [PeerID] = []
            for await case .connected(let neighbour) in alice.events {
                heard.append(neighbour.id)
                #expect(await alice.node.neighbours.count(where: \.isHeard) <= 2)
                if Set(heard).count == 3, heard.count > 3 { break }
            }
        }
        // The third waits for the silence of one of the first two, and that one for as long again.
        #expect(start.duration(to: scene.clock.now) >= .seconds(2 * 5))
        try await scene.stop([alice])
        for publication in publications { await publication.withdraw() }
    }

    @Test func `hear who has other services than the system has kept`() async throws {
        let scene = RelayScene()
        let alice = try await scene.member("alice")
        let radio = await scene.air.radio("old", MemoryRadio.Configuration())
        func publish(_ characteristic: BluetoothUUID) async throws -> any Publication {
            try await radio.publish(
                GATTService(
                    uuid: RelayService.uuid,
                    characteristics: [
                        GATTCharacteristic(uuid: characteristic, properties: .notify)
                    ]
                ),
                advertising: Advertisement(localName: "old", serviceUUIDs: [RelayService.uuid]),
                responder: NoResponder()
            )
        }
        let earlier = try await publish("2A00")
        await alice.radio.simulateKeptServices(of: radio)
        await earlier.withdraw()
        let later = try await publish(RelayService.packets.characteristic)
        try await scene.pass {
            try await alice.node.start()
            try await alice.waitUntilConnected(to: 1)
        }
        #expect(await alice.node.peers[radio.peer]?.failureCount == 0)
        try await scene.stop([alice])
        await later.withdraw()
    }

    @Test func `leave who takes the service back, and hear them again when it is there`()
        async throws
    {
        let scene = RelayScene()
        let members = try await scene.members("alice", "bobby")
        let (alice, bob) = (members[0], members[1])
        try await scene.pass {
            for member in members { try await member.node.start() }
            try await alice.waitUntilConnected(to: 1)
            await bob.node.stop()
            for await case .disconnected(let neighbour, _) in alice.events {
                #expect(neighbour.id == bob.radio.peer && !neighbour.isHeard)
                break
            }
            try await bob.node.start()
            try await alice.waitUntilConnected(to: 1)
        }
        try await scene.stop(members)
    }

    @Test func `know how strong their neighbours are, the strongest first`() async throws {
        let scene = RelayScene()
        let members = try await scene.members("alice", "bobby", "carol")
        let alice = members[0]
        for (rssi, other) in [(RSSI(-80), members[1]), (RSSI(-40), members[2])] {
            await scene.air.simulateProximityChange(
                to: rssi,
                between: alice.radio,
                and: other.radio
            )
        }
        try await scene.pass {
            for member in members { try await member.node.start() }
            try await alice.waitUntilConnected(to: 2)
        }
        let neighbours = await alice.node.neighbours
        #expect(neighbours.map(\.name) == ["carol#1234", "bobby#1234"])
        #expect(neighbours.map(\.rssi) == [RSSI(-40), RSSI(-80)])
        try await scene.stop(members)
    }

    @Test func `start no more when they are stopped before`() async throws {
        let scene = RelayScene()
        let alice = try await scene.member("alice")
        await alice.radio.simulatePowerOff()
        let starting = Task { try await alice.node.start(waitingUpTo: nil) }
        while await alice.node.serving == nil { await Task.yield() }
        await alice.node.stop()
        await #expect { try await starting.value } throws: {
            ($0 as? RelayError)?.code == .notReady
        }
        await alice.radio.simulatePowerOn()
        try await alice.node.start()
        #expect(await alice.node.isReady)
        await alice.node.stop()
    }

    @Test func `are told when they can't start`() async throws {
        let scene = RelayScene()
        let alice = try await scene.member("alice")
        await alice.radio.simulatePowerOff()
        await #expect {
            try await scene.pass { try await alice.node.start(waitingUpTo: .seconds(1)) }
        } throws: {
            ($0 as? RelayError)?.code == .bluetoothOff
        }
        await #expect {
            try await alice.node.send("x", to: Vectors.bobAddress)
        } throws: {
            ($0 as? RelayError)?.code == .notReady
        }
    }
}
