import BLE
import BLETesting
import Testing

@testable import MeshRelay

@Suite("A neighbour that subscribes", .timeLimit(.minutes(10)))
struct SubscribingTests {
    private let scene = RelayScene([.individualNotifications, .namedSubscribers])

    private func waitUntil(_ other: MemoryRadio, hears: Bool, _ alice: RelayScene.Member) async {
        for await case .changed(let neighbour) in alice.events
        where neighbour.id == other.peer && neighbour.hears == hears { return }
    }

    /// The app goes on counting and sending to it.
    @Test func `is known to hear no more when it unsubscribes`() async throws {
        let alice = try await scene.member("alice")
        let other = await scene.air.radio("other")
        try await scene.pass {
            try await alice.node.start()
            let filter = ScanFilter(service: RelayService.uuid)
            for try await case .seen in try await other.scan(filter) { break }
            let link = try await other.connect(to: alice.radio.peer)
            _ = try await link.discoverServices()
            try await link.subscribe(to: RelayService.packets)
            await waitUntil(other, hears: true, alice)
            try await link.unsubscribe(from: RelayService.packets)
            await waitUntil(other, hears: false, alice)
            #expect(await alice.node.neighbours.allSatisfy { $0.hears != true })
            await link.disconnect()
        }
        try await scene.stop([alice])
    }

    /// Nobody sees it: its app may be in the background.
    @Test(arguments: RelayScene.features)
    func `is known as long as it is connected`(features: RadioCapabilities.Features) async throws {
        let scene = RelayScene(features)
        var timeouts = RelayTimeouts()
        timeouts.loss = .seconds(5)
        let alice = try await scene.member("alice", timeouts: timeouts)
        let other = await scene.air.radio("other")
        try await scene.pass {
            try await alice.node.start()
            let link = try await other.connectToNode()
            try await link.subscribe(to: RelayService.packets)
            try await scene.clock.sleep(for: .seconds(20))
            #expect(await alice.node.neighbours.map(\.id) == [other.peer])
            await link.disconnect()
            while await !alice.node.neighbours.isEmpty { await Task.yield() }
        }
        try await scene.stop([alice])
    }
}
