import BLE
import BLETesting
import Testing

@testable import BlueChat

@Suite("A chat with an original that is called", .timeLimit(.minutes(10)))
struct OriginalTests {
    /// Alice, in a chat with an original whose name is Bob.
    private func withChat(
        _ work: (ChatScene, Chat, OriginalCallee) async throws -> Void
    ) async throws {
        let scene = try await ChatScene()
        try await scene.alice.start()
        let callee = OriginalCallee()
        try await callee.publish(on: scene.bobRadio, name: "Bob")
        _ = try await scene.alice.find(named: "Bob")
        try await work(scene, try await scene.alice.call(scene.bobRadio.peer), callee)
        await callee.withdraw()
        await scene.alice.stop()
    }

    @Test func `carries texts both ways, until the callee asks to leave`() async throws {
        try await withChat { scene, chat, callee in
            let events = await scene.alice.events
            try await chat.send("Hi 👋")
            try await callee.send(Array("Hello".utf8))
            #expect(try await events.nextText() == "Hello")
            try await callee.askToLeave()
            #expect(try await events.nextEnd() == nil)
            var heard: [OriginalCallee.Event] = []
            for await event in callee.events {
                heard.append(event)
                if event == .left { break }
            }
            #expect(heard == [.subscribed, .text(Array("Hi 👋".utf8)), .left])
        }
    }

    /// The callee may have asked before its reply to that text: bluez_callee.py of Tests/Interoperability does.
    @Test func `ends at a limit when its last text is not answered`() async throws {
        try await withChat { scene, chat, callee in
            let events = await scene.alice.events
            await scene.bobRadio.simulateReplies(false)
            async let sending: Void = expectFailure(.ended) { try await chat.send("Bye") }
            while await scene.alice.chatting?.sending.isEmpty == true { await Task.yield() }
            try await callee.askToLeave()
            while await scene.alice.chatting?.isLeaving == false { await Task.yield() }
            await expectFailure(.ended) { try await chat.send("Are you there?") }
            // That of a write is longer.
            await scene.clock.pass(ChatTimeouts().leaving)
            #expect(try await events.nextEnd() == nil)
            await sending
        }
    }
}
