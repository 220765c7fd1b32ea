import BLE
import BLETesting
import Testing

@testable import BlueChat

@Suite("Two that call each other", .timeLimit(.minutes(10)))
struct BothCallTests {
    /// What the other end sends as soon as its call has gone through must not wait for ours.
    @Test func `take texts while the own call is under way`() async throws {
        let scene = try await ChatScene()
        let alices = await scene.alice.events
        try await scene.start()
        _ = try await scene.alice.find(named: "Bob")
        await scene.bobRadio.simulateReplies(false)
        let calling = Task { try await scene.alice.call(scene.bobRadio.peer) }
        while await scene.alice.calling == nil { await Task.yield() }
        let called = try await scene.bob.call(scene.aliceRadio.peer)
        try await called.send("already here")
        let chat = try await alices.nextChat()
        #expect(try await alices.nextText() == "already here")
        try await chat.send("so am I")
        calling.cancel()
        await #expect(throws: CancellationError.self) { try await calling.value }
        await scene.alice.stop()
        await scene.bob.stop()
    }

    /// One chat comes of it, both can send, and calling again after leaving works.
    @Test(arguments: 0..<100 as Range<UInt64>)
    func `have one chat`(seed: UInt64) async throws {
        let scene = try await ChatScene(
            seed: seed,
            features: MessengerTests.features[Int(seed) % 2]
        )
        let (alices, bobs) = (await scene.alice.events, await scene.bob.events)
        try await scene.start()
        let (called, calling) = try await scene.callEachOther()
        try await called.send("from Alice")
        try await calling.send("from Bob")
        #expect(try await bobs.nextText() == "from Alice")
        #expect(try await alices.nextText() == "from Bob")
        await (seed % 4 < 2 ? called : calling).leave()
        _ = try await alices.nextEnd()
        _ = try await bobs.nextEnd()
        let again = try await scene.pass { try await scene.alice.call(scene.bobRadio.peer) }
        try await again.send("again")
        #expect(try await bobs.nextText() == "again")
        await scene.alice.stop()
        await scene.bob.stop()
    }
}
