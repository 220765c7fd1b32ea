import BLE
import BLETesting
import Testing

@testable import BlueChat

/// Where the system does not say who has subscribed.
@Suite("What an original is sent", .timeLimit(.minutes(10)))
struct PrivateTextTests {
    @Test func `waits no longer than it is for the original alone`() async throws {
        let scene = try await ChatScene(features: [])
        let bobs = await scene.bob.events
        let (original, other, advertising) = try await scene.originalAndStranger()
        let chat = try await bobs.nextChat()
        await scene.aliceRadio.simulateConfirmations(false)
        async let first: Void = expectFailure(.timedOut) { try await chat.send("one") }
        #expect(await original.next() == .text(Array("one".utf8)))
        // The system's time for the confirmation goes on.
        await scene.clock.waitForSleeper(for: .seconds(30))
        await scene.clock.pass(.seconds(15))
        await first
        await scene.clock.advance(by: .seconds(1))
        async let second: Void = expectFailure(.notPrivate) { try await chat.send("two") }
        while await scene.bob.chatting?.sending.isEmpty == true { await Task.yield() }
        let stranger = try await other.connect(to: scene.bobRadio.peer)
        while await scene.bob.callee.isPrivate { await Task.yield() }
        await scene.aliceRadio.simulateConfirmations(true)
        await scene.clock.pass(.seconds(14))
        await second
        await stranger.disconnect()
        while await !scene.bob.callee.isPrivate { await Task.yield() }
        try await chat.send("three")
        #expect(await original.next() == .text(Array("three".utf8)))
        await original.link.disconnect()
        await advertising.stop()
        await scene.bob.stop()
    }

    @Test func `is no request to leave that somebody else might take for theirs`() async throws {
        let scene = try await ChatScene(features: [])
        let bobs = await scene.bob.events
        let (original, other, advertising) = try await scene.originalAndStranger()
        let chat = try await bobs.nextChat()
        let stranger = try await other.connect(to: scene.bobRadio.peer)
        while await scene.bob.callee.isPrivate { await Task.yield() }
        // No time passes.
        await chat.leave()
        #expect(await original.next() == .disconnected)
        #expect(try await bobs.nextEnd() == nil)
        await stranger.disconnect()
        await advertising.stop()
        await scene.bob.stop()
    }
}

extension ChatScene {
    /// Bob in a chat with an original, and a stranger who may connect to him.
    fileprivate func originalAndStranger() async throws -> (
        OriginalCaller, stranger: MemoryRadio, any Advertising
    ) {
        try await bob.start()
        let stranger = await air.radio("Stranger")
        // What another program advertises keeps the radio open to strangers during a chat.
        let advertising = try await bobRadio.advertise(
            Advertisement(localName: "Other", serviceUUIDs: [])
        )
        for radio in [aliceRadio, stranger] {
            try await OriginalCaller.see(bobRadio.peer, by: radio)
        }
        return (try await OriginalCaller(aliceRadio, bobRadio.peer), stranger, advertising)
    }
}
