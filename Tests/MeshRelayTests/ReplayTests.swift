import BLE
import BLETesting
import Testing

@testable import MeshRelay

/// When neighbours are sent what is kept.
@Suite("Nodes that keep packets", .timeLimit(.minutes(10)))
struct ReplayTests {
    /// One who subscribes again and again is not sent all of it each time.
    @Test(arguments: RelayScene.features)
    func `send what is kept once in ten seconds`(
        features: RadioCapabilities.Features
    ) async throws {
        let scene = RelayScene(features)
        let members = try await scene.members("alice", "bobby")
        let alice = members[0]
        let mallory = await scene.air.radio("mallory", MemoryRadio.Configuration())
        let start = scene.clock.now
        try await scene.pass {
            try await alice.node.start()
            try await alice.node.send("kept", to: members[1].node.address)
            let link = try await mallory.connectToNode()
            for _ in 0..<50 {
                try await link.subscribe(to: RelayService.packets)
                try await link.unsubscribe(from: RelayService.packets)
            }
            try await link.subscribe(to: RelayService.packets)
            for await case .notification in link.events { break }
            await link.disconnect()
        }
        let limit = 1 + Int(start.duration(to: scene.clock.now) / .seconds(10))
        let count = await alice.node.counters.replayed
        #expect((1...limit).contains(count), "\(count) of \(limit)")
        try await scene.stop(members)
    }

    /// Also while nothing happens.
    @Test func `count no more what they have kept for 15 minutes`() async throws {
        let scene = RelayScene()
        let members = try await scene.members("alice", "bobby")
        let alice = members[0]
        try await scene.pass {
            try await alice.node.start()
            try await alice.node.send("kept", to: members[1].node.address)
        }
        #expect(await alice.node.queuedCount == 1)
        await scene.clock.advance(by: RelayLimits().queueTime)
        try await scene.pass {
            while await alice.node.queuedCount > 0 { await Task.yield() }
        }
        try await scene.stop([alice])
    }

    /// Attempts to subscribe may fail for a minute, and not each system tells of the one that does not.
    @Test(arguments: RelayScene.features)
    func `send what is kept to who subscribes long after it has connected`(
        features: RadioCapabilities.Features
    ) async throws {
        let scene = RelayScene(features)
        let members = try await scene.members("alice", "bobby")
        let alice = members[0]
        let first = await scene.air.radio("first", MemoryRadio.Configuration())
        let late = await scene.air.radio("late", MemoryRadio.Configuration())
        try await scene.pass {
            try await alice.node.start()
            try await alice.node.send("kept", to: members[1].node.address)
            let links = [try await first.connectToNode(), try await late.connectToNode()]
            try await links[0].subscribe(to: RelayService.packets)
            try await scene.clock.sleep(for: .seconds(40))
            try await links[1].subscribe(to: RelayService.packets)
            let isNotified = try await withTimeLimit(.seconds(120), on: scene.clock) {
                for await case .notification in links[1].events { return true }
                return false
            }
            #expect(isNotified == true)
            for link in links { await link.disconnect() }
        }
        try await scene.stop(members)
    }
}
