import BLE
import BLETesting
import Testing

@testable import MeshRelay

@Suite("Nodes that send", .timeLimit(.minutes(10)))
struct SendingTests {
    /// Somebody near who takes next to nothing keeps no message from the others.
    @Test(arguments: RelayScene.features)
    func `send what does not fit one neighbour to the others`(
        features: RadioCapabilities.Features
    ) async throws {
        let scene = RelayScene(features)
        let members = try await scene.members("alice", "bobby")
        let (alice, bob) = (members[0], members[1])
        let small = await scene.radio("small", mtuBytes: 23, awayFrom: bob)
        try await scene.pass {
            try await alice.node.start()
            let link = try await small.connectToNode()
            try await link.subscribe(to: RelayService.packets)
            try await bob.node.start()
            let text = String(repeating: "x", count: 30)
            let id = try await alice.node.send(text, to: bob.node.address)
            #expect(try await bob.nextMessage().text == text)
            try await alice.waitForDelivery(of: id)
            // Those that are notified all at once are sent as much as a phone takes.
            let count = features.isEmpty ? nil : 1
            while await alice.node.counters.unsent[.tooLong] != count { await Task.yield() }
            await link.disconnect()
        }
        try await scene.stop(members)
    }

    /// It was to be sent once.
    @Test func `count once what does not fit several neighbours`() async throws {
        let scene = RelayScene([.individualNotifications, .namedSubscribers])
        let members = try await scene.members("alice", "bobby")
        let (alice, bob) = (members[0], members[1])
        let small = [
            await scene.radio("first", mtuBytes: 23, awayFrom: bob),
            await scene.radio("second", mtuBytes: 23, awayFrom: bob),
        ]
        try await scene.pass {
            try await alice.node.start()
            var links: [any Link] = []
            for radio in small {
                let link = try await radio.connectToNode()
                try await link.subscribe(to: RelayService.packets)
                links.append(link)
            }
            while await alice.node.neighbours.count(where: { $0.hears == true }) < 2 {
                await Task.yield()
            }
            try await bob.node.start()
            // The first has been counted when the second comes.
            for text in ["first", "second"] {
                let id = try await alice.node.send(text, to: bob.node.address)
                try await alice.waitForDelivery(of: id)
            }
            let count = await alice.node.counters.unsent[.tooLong] ?? 0
            #expect([1, 2].contains(count), "\(count)")
            for link in links { await link.disconnect() }
        }
        try await scene.stop(members)
    }

    /// What was written when nobody with less room was near: they don't keep it from the others, and it is counted.
    @Test(arguments: RelayScene.features)
    func `send what does not fit a phone to who has room for it`(
        features: RadioCapabilities.Features
    ) async throws {
        let scene = RelayScene(features)
        let members = try await scene.members("alice", "bobby")
        let (alice, bob) = (members[0], members[1])
        let phone = await scene.radio("phone", mtuBytes: 185, awayFrom: bob)
        try await scene.pass {
            try await alice.node.start()
            let text = String(repeating: "x", count: 200)
            try await alice.node.send(text, to: bob.node.address, id: 7)
            let link = try await phone.connectToNode()
            try await link.subscribe(to: RelayService.packets)
            while await alice.node.counters.unsent[.tooLong] == nil { await Task.yield() }
            try await bob.node.start()
            #expect(try await bob.nextMessage().text == text)
            try await alice.waitForDelivery(of: 7)
            await link.disconnect()
        }
        try await scene.stop(members)
    }

    /// A phone takes it when it comes; one that was sent before, to somebody with more room, goes on waiting.
    @Test func `say what does not fit a phone while nobody is near`() async throws {
        let scene = RelayScene()
        let alice = try await scene.member("alice", generation: .second)
        let address = Vectors.bobAddress
        try await alice.node.add(RelayLink(address: address, key: Vectors.bob.key))
        try await scene.pass { try await alice.node.start() }
        let count = await alice.node.maximumTextByteCount(to: address)
        #expect(count == 47)
        let text = String(repeating: "x", count: count + 1)
        await #expect {
            try await alice.node.send(text, to: address)
        } throws: {
            ($0 as? RelayError)?.code == .tooLong
        }
        try await alice.node.send(text, to: address, id: 7)
        try await alice.node.send(String(text.dropLast()), to: address)
        try await scene.stop([alice])
    }

    @Test func `count what is pushed out where too many packets wait`() async throws {
        let scene = RelayScene()
        let alice = try await scene.member("alice")
        try await scene.pass { try await alice.node.start() }
        let count = PublishedRelay.maximumWaitingCount
        await alice.node.originate(2 * count)
        // One of them may be on its way.
        let pushedOut = await alice.node.counters.unsent[.pushedOut] ?? 0
        #expect([count - 1, count].contains(pushedOut))
        try await scene.stop([alice])
    }

    /// Somebody who has subscribed and takes a byte a second; the others don't wait for them.
    @Test func `disconnect a neighbour that takes nothing`() async throws {
        let scene = RelayScene([.individualNotifications, .namedSubscribers])
        // More than may be on their way to one.
        let count = 300
        var limits = RelayLimits()
        (limits.neighbourRate, limits.senderRate) = (2 * count, 2 * count)
        let alice = try await scene.member("alice", limits: limits)
        let bob = try await scene.member("bobby", limits: limits)
        try await alice.node.add(bob.node.link)
        try await bob.node.add(alice.node.link)
        let stuck = await scene.radio("stuck", awayFrom: bob)
        var conditions = LinkConditions()
        conditions.bytesPerSecond = 1
        let slow = conditions
        try await scene.pass {
            try await alice.node.start()
            let link = try await stuck.connectToNode()
            try await link.subscribe(to: RelayService.packets)
            await scene.air.simulateConditions(slow, from: alice.radio, to: stuck)
            try await bob.node.start()
            for await case .changed(let neighbour) in alice.events
            where neighbour.id == bob.radio.peer && neighbour.hears == true { break }
            for number in 0..<count {
                try await alice.node.send("\(number)", to: bob.node.address)
                #expect(try await bob.nextMessage().text == "\(number)")
            }
            for await case .changed(let neighbour) in alice.events
            where neighbour.id == stuck.peer && neighbour.hears == false { break }
        }
        try await scene.stop([alice, bob])
    }
}

extension RelayNode {
    /// Makes packets, none of which is sent meanwhile.
    fileprivate func originate(_ count: Int) {
        for id in 0..<Int32(count) {
            let packet = RelayPacket(
                id: id,
                kind: .message,
                sender: address.text,
                receiver: "bobby#1234",
                text: "AAAA"
            )
            handle(.originated(packet))
        }
    }
}
