import BLE
import BLETesting
import Testing

@testable import BlueChat

@Suite("An original that is called at once after one has left", .timeLimit(.minutes(10)))
struct CallingBackTests {
    @Test(arguments: [true, false], [true, false])
    func `chats again`(callerLeaves: Bool, callerCalls: Bool) async throws {
        for features in MessengerTests.features {
            let scene = try await ChatScene(features: features)
            let (alices, bobs) = (await scene.alice.events, await scene.bob.events)
            try await scene.start()
            // Either has seen the other one.
            _ = try await scene.alice.find(named: "Bob")
            _ = try await scene.bob.find(named: "Alice")
            let (called, came) = try await scene.call(bobs)
            let leaving = Task { await (callerLeaves ? called : came).leave() }
            let (calling, events) = callerCalls ? (scene.alice, alices) : (scene.bob, bobs)
            _ = try await events.nextEnd()
            let peer = callerCalls ? called.peer : came.peer
            let again = try await scene.pass { try await calling.call(peer) }
            try await again.send("again")
            #expect(try await (callerCalls ? bobs : alices).nextText() == "again")
            await leaving.value
            await again.leave()
            for messenger in [scene.alice, scene.bob] { await messenger.stop() }
        }
    }
}
