import BLE
import BLETesting
import Testing

@testable import MeshRelay

@Suite("Nodes that send", .timeLimit(.minutes(3)))
struct SendingTests {
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
        let stuck = await scene.air.radio("stuck", MemoryRadio.Configuration())
        await scene.air.simulateProximityChange(to: nil, between: stuck, and: bob.radio)
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
