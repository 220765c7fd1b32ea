import BLE
import BLETesting
import Testing

@testable import BlueChat

@Suite("A messenger with an archive", .timeLimit(.minutes(10)))
struct ArchiveTests {
    private let alices = MemoryArchive()
    private let bobs = MemoryArchive()

    private func scene(
        _ features: RadioCapabilities.Features? = nil
    ) async throws -> ChatScene {
        let scene = try await ChatScene(
            isOriginal: false,
            archives: (alices, bobs),
            features: features
        )
        try await scene.start()
        return scene
    }

    private func stop(_ scene: ChatScene) async throws {
        try await scene.pass {
            await scene.alice.stop()
            await scene.bob.stop()
        }
    }

    /// Sends a message that waits at the other end until its gate is open.
    private func sendHeld(
        in chat: Chat
    ) async throws -> (message: ChatMessage, gate: Promise<Void>, sending: Task<Void, any Error>) {
        let gate = Promise<Void>()
        await bobs.hold(gate)
        let message = try ChatMessage(.text("kept"), time: 0)
        let sending = Task { try await chat.send(message) }
        while await bobs.callCount == 0 { await Task.yield() }
        return (message, gate, sending)
    }

    @Test(arguments: MessengerTests.features)
    func `sends what waits, from either end, and is asked for more`(
        features: RadioCapabilities.Features
    ) async throws {
        let texts = (0..<7).map { "\($0)" }
        try await alices.add(texts)
        try await bobs.add(texts)
        let scene = try await scene(features)
        let (aliceEvents, bobEvents) = (await scene.alice.events, await scene.bob.events)
        _ = try await scene.call(bobEvents)
        for text in texts {
            #expect(try await bobEvents.nextMessage().content == .text(text))
            #expect(try await aliceEvents.nextMessage().content == .text(text))
        }
        // While the chat is on.
        try await alices.add(["later", "and later", "and more"])
        await scene.alice.sendWaiting(to: scene.bob.key)
        for text in ["later", "and later", "and more"] {
            #expect(try await bobEvents.nextMessage().content == .text(text))
        }
        #expect(await alices.names == ["Bob"])
        #expect(await bobs.names == ["Alice"])
        try await stop(scene)
        #expect(await alices.kept.map(\.content) == texts.map { .text($0) })
    }

    /// As on a full disk: what was delivered still waits there.
    @Test func `sends a message once in a chat, also when its receipt is not kept`() async throws {
        try await alices.add(["kept before"])
        let first = try #require(await alices.history.waiting.first)
        await alices.loseReceipts()
        let scene = try await scene()
        let (aliceEvents, bobEvents) = (await scene.alice.events, await scene.bob.events)
        let (called, _) = try await scene.call(bobEvents)
        let later = try (0..<8).map { try ChatMessage(.text("\($0)"), time: 0) }
        for message in later { try await called.send(message) }
        var delivered: [MessageID] = []
        for await case .delivered(let id, _) in aliceEvents {
            delivered.append(id)
            if id == later.last?.id { break }
        }
        #expect(delivered == [first.id] + later.map(\.id))
        try await stop(scene)
    }

    @Test func `keeps a message before it is confirmed`() async throws {
        let scene = try await scene()
        let bobEvents = await scene.bob.events
        let (called, _) = try await scene.call(bobEvents)
        let (message, gate, sending) = try await sendHeld(in: called)
        #expect(await alices.receipts.isEmpty)
        gate.fulfil()
        try await sending.value
        #expect(await bobs.kept == [message])
        #expect(await alices.receipts == [.delivered(message.id)])
        try await stop(scene)
    }

    @Test func `says to each who sends the same message that it is kept`() async throws {
        let scene = try await scene()
        let bobEvents = await scene.bob.events
        let (called, _) = try await scene.call(bobEvents)
        let gate = Promise<Void>()
        await bobs.hold(gate)
        let message = try ChatMessage(.text("kept"), time: 0)
        let sending = (0..<2).map { _ in Task { try await called.send(message) } }
        while await scene.alice.encryptedChats[scene.bob.key]?.deliveries.count != 2 {
            await Task.yield()
        }
        gate.fulfil()
        for task in sending { try await task.value }
        #expect(await bobs.kept == [message])
        try await stop(scene)
    }

    /// A bluetoothd dies when a connection is lost while a write waits for its reply.
    @Test func `replies to a write before its message is kept`() async throws {
        let scene = try await scene()
        let bobEvents = await scene.bob.events
        let (called, _) = try await scene.call(bobEvents)
        let (message, gate, sending) = try await sendHeld(in: called)
        // It is written after the message.
        await called.setTyping(true)
        while await scene.alice.conversations[scene.bob.key]?.hasRecord != false {
            await Task.yield()
        }
        gate.fulfil()
        try await sending.value
        for await event in bobEvents {
            guard case .typing(let isTyping, _) = event else { continue }
            #expect(isTyping)
            break
        }
        #expect(await bobs.kept == [message])
        try await stop(scene)
    }

    /// Of what waits for a slow archive there is no more than this; the caller is made to wait.
    @Test func `lets a caller wait whose messages it keeps slowly`() async throws {
        let scene = try await scene()
        let bobEvents = await scene.bob.events
        let (called, _) = try await scene.call(bobEvents)
        let gate = Promise<Void>()
        await bobs.hold(gate)
        let file = try ChatFile(name: "long", bytes: [UInt8](repeating: 1, count: 200_000))
        let messages = [
            try ChatMessage(.text("first"), time: 0), try ChatMessage(.file(file), time: 0),
        ]
        let sending = Task {
            async let first: Void = called.send(messages[0])
            while await bobs.callCount == 0 { await Task.yield() }
            async let second: Void = called.send(messages[1])
            _ = try await (first, second)
        }
        let maximum = CalleeEnd.maximumWaitingCount
        while await scene.bob.waitingRecordCount < maximum { await Task.yield() }
        for _ in 0..<1_000 {
            await Task.yield()
            #expect(await scene.bob.waitingRecordCount == maximum)
        }
        await bobs.hold(nil)
        gate.fulfil()
        try await sending.value
        #expect(await bobs.kept == messages)
        try await stop(scene)
    }

    @Test func `lets a message come again that was not kept`() async throws {
        let scene = try await scene()
        let (aliceEvents, bobEvents) = (await scene.alice.events, await scene.bob.events)
        let (called, _) = try await scene.call(bobEvents)
        await bobs.fill(true)
        try await alices.add(["too much"])
        await scene.alice.sendWaiting(to: scene.bob.key)
        for await case .failedToReceive(let error, _) in bobEvents {
            #expect(error.code == .notKept)
            break
        }
        #expect(await alices.receipts.isEmpty)
        await called.leave()
        #expect(try await aliceEvents.nextEnd() == nil)
        // Nothing can be kept of a chat: whoever calls is refused, once both have said who they are.
        _ = try await scene.pass { try await scene.alice.call(scene.bobRadio.peer) }
        #expect(try await aliceEvents.nextEnd() == .refused)
        _ = try await scene.bob.find(named: "Alice")
        await expectFailure(.notKept) {
            _ = try await scene.pass { try await scene.bob.call(scene.aliceRadio.peer) }
        }
        await bobs.fill(false)
        _ = try await scene.pass { try await scene.alice.call(scene.bobRadio.peer) }
        #expect(try await bobEvents.nextMessage().content == .text("too much"))
        #expect(await bobs.kept.count == 1)
        try await stop(scene)
    }

    @Test(arguments: [("Ally", "Ally"), ("", "Alice")])
    func `calls others as its archive does`(name: String, expected: String) async throws {
        await bobs.rename(name)
        let scene = try await scene()
        let (called, came) = try await scene.call(await scene.bob.events)
        #expect(came.name == expected && came.key == scene.alice.key)
        #expect(called.name == "Bob")
        try await stop(scene)
    }

    @Test func `says that a message is not taken`() async throws {
        let scene = try await scene()
        let bobEvents = await scene.bob.events
        let (called, _) = try await scene.call(bobEvents)
        await bobs.refuse()
        let message = try ChatMessage(.text("no"), time: 0)
        await expectFailure(.refused) { try await called.send(message) }
        #expect(await alices.receipts == [.refused(message.id)])
        try await stop(scene)
    }

    @Test func `has no chat with somebody who is blocked`() async throws {
        await bobs.block()
        let scene = try await scene()
        let aliceEvents = await scene.alice.events
        _ = try await scene.alice.find(named: "Bob")
        _ = try await scene.pass { try await scene.alice.call(scene.bobRadio.peer) }
        #expect(try await aliceEvents.nextEnd() == .refused)
        #expect(await scene.bob.encryptedChats.isEmpty)
        _ = try await scene.bob.find(named: "Alice")
        await expectFailure(.refused) {
            _ = try await scene.pass { try await scene.bob.call(scene.aliceRadio.peer) }
        }
        try await stop(scene)
    }

    @Test func `forgets who has gone before the chat began`() async throws {
        let scene = try await scene()
        let gate = Promise<Void>()
        await bobs.holdHistory(gate)
        let chat = try await scene.alice.call(scene.bobRadio.peer)
        while await bobs.names.isEmpty { await Task.yield() }
        try await scene.pass { await chat.leave() }
        while await !scene.bob.callingDevices.isEmpty { await Task.yield() }
        gate.fulfil()
        while await bobs.forgotten.isEmpty { await Task.yield() }
        #expect(await bobs.forgotten == [scene.alice.key])
        #expect(await scene.bob.encryptedChats.isEmpty)
        try await stop(scene)
    }

    /// What was read while the other one was away.
    @Test func `tells what was read before the chat`() async throws {
        let message = try ChatMessage(.text("old"), time: 0)
        try await alices.keep(.delivered(message.id), from: ChatIdentity().key)
        await bobs.read(message.id)
        let scene = try await scene()
        let aliceEvents = await scene.alice.events
        _ = try await scene.call(await scene.bob.events)
        for await case .read(let ids, _) in aliceEvents {
            #expect(ids == [message.id])
            break
        }
        #expect(await alices.receipts == [.delivered(message.id), .read([message.id])])
        try await stop(scene)
    }
}

extension Messenger {
    /// How many records of those who have called are not dealt with.
    fileprivate var waitingRecordCount: Int {
        callingDevices.values.flatMap(\.ends.values).map(\.waiting.count).reduce(0, +)
    }
}
