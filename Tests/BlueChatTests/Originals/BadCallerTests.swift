import BLE
import BLETesting
import Testing

@testable import BlueChat

@Suite("A caller that is no app", .timeLimit(.minutes(10)))
struct BadCallerTests {
    /// As many bytes as a value has, in one packet and in several: more than this end sends.
    @Test(arguments: [185, 517])
    func `is heard when it writes the longest value`(mtuBytes: Int) async throws {
        let scene = try await ChatScene(mtuBytes: mtuBytes)
        let bobs = await scene.bob.events
        try await scene.bob.start()
        try await OriginalCaller.see(scene.bobRadio.peer, by: scene.aliceRadio)
        let original = try await OriginalCaller(scene.aliceRadio, scene.bobRadio.peer)
        let chat = try await bobs.nextChat()
        let longest = String(repeating: "x", count: 512)
        try await original.write(Array(longest.utf8))
        #expect(try await bobs.nextText() == longest)
        // The chat goes on.
        try await chat.send("Hi 👋")
        #expect(await original.next() == .text(Array("Hi 👋".utf8)))
        await original.link.disconnect()
        await scene.bob.stop()
    }

    @Test(arguments: MessengerTests.features)
    func `has a chat when it subscribes to the texts alone`(
        features: RadioCapabilities.Features
    ) async throws {
        let scene = try await ChatScene(features: features)
        let bobs = await scene.bob.events
        try await scene.bob.start()
        try await OriginalCaller.see(scene.bobRadio.peer, by: scene.aliceRadio)
        let link = try await scene.aliceRadio.connect(to: scene.bobRadio.peer)
        _ = try await link.discoverServices()
        try await link.subscribe(to: ChatService.toCaller)
        let chat = try await bobs.nextChat()
        try await link.write(Array("Hi".utf8), to: ChatService.toCallee)
        #expect(try await bobs.nextText() == "Hi")
        try await chat.send("Hello")
        for await case .notification(let id, let bytes) in link.events {
            #expect(id == ChatService.toCaller && bytes == Array("Hello".utf8))
            break
        }
        // Nobody takes the request to leave: the connection ends all the same.
        let leaving = Task { await chat.leave() }
        await scene.clock.pass(.seconds(3))
        await leaving.value
        #expect(try await bobs.nextEnd() == nil)
        for await case .disconnected in link.events { break }
        await scene.bob.stop()
    }
}
