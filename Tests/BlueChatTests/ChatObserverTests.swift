import BLE
import BLETesting
import Testing

@testable import BlueChat

@Suite("An observer of a messenger", .timeLimit(.minutes(10)))
struct ChatObserverTests {
    /// The events, from the calls that tell of them.
    private final class Recorder: ChatObserver {
        let events: AsyncStream<ChatEvent>
        private let told: AsyncStream<ChatEvent>.Continuation

        init() { (events, told) = AsyncStream.makeStream() }

        /// Ends the events after those that were told by now.
        func finish() { told.finish() }

        func messengerDidBecomeReady(_ messenger: Messenger) async { told.yield(.becameReady) }
        func messenger(_ messenger: Messenger, didBecomeUnready error: ChatError) async {
            told.yield(.becameUnready(error))
        }
        func messenger(_ messenger: Messenger, didDiscover chatter: NearbyChatter) async {
            told.yield(.discovered(chatter))
        }
        func messenger(_ messenger: Messenger, didUpdate chatter: NearbyChatter) async {
            told.yield(.changed(chatter))
        }
        func messenger(_ messenger: Messenger, didLose chatter: NearbyChatter) async {
            told.yield(.lost(chatter))
        }
        func messenger(_ messenger: Messenger, searchWasInterrupted error: ChatError) async {
            told.yield(.searchInterrupted(error))
        }
        func messenger(_ messenger: Messenger, didBegin chat: Chat) async {
            told.yield(.began(chat))
        }
        func messenger(_ messenger: Messenger, didReceive text: String, in chat: Chat) async {
            told.yield(.received(text, chat))
        }
        func messenger(
            _ messenger: Messenger,
            didReceiveMessage message: ChatMessage,
            in chat: Chat
        ) async { told.yield(.receivedMessage(message, chat)) }
        func messenger(_ messenger: Messenger, didDeliver id: MessageID, in chat: Chat) async {
            told.yield(.delivered(id, chat))
        }
        func messenger(_ messenger: Messenger, didRefuse id: MessageID, in chat: Chat) async {
            told.yield(.refused(id, chat))
        }
        func messenger(_ messenger: Messenger, didRead ids: [MessageID], in chat: Chat) async {
            told.yield(.read(ids, chat))
        }
        func messenger(_ messenger: Messenger, isTyping: Bool, in chat: Chat) async {
            told.yield(.typing(isTyping, chat))
        }
        func messenger(_ messenger: Messenger, didRename name: String, in chat: Chat) async {
            told.yield(.renamed(name, chat))
        }
        func messenger(
            _ messenger: Messenger,
            didFailToReceive error: ChatError,
            in chat: Chat?
        ) async { told.yield(chat.map { .failedToReceive(error, $0) } ?? .missed(error)) }
        func messenger(_ messenger: Messenger, didRefuseCaller caller: PeerID) async {
            told.yield(.refusedCaller(caller))
        }
        func messenger(
            _ messenger: Messenger,
            didEnd chat: Chat,
            because error: ChatError?
        ) async { told.yield(.ended(chat, error)) }
    }

    /// Takes long for the first call.
    private final class SlowObserver: ChatObserver {
        let gate = Promise<Void>()
        let end = Promise<Void>()

        func messengerDidBecomeReady(_ messenger: Messenger) async {
            do {
                try await gate.wait()
            } catch {
                Issue.record("\(error)")
            }
        }

        func messenger(_ messenger: Messenger, didBecomeUnready error: ChatError) async {
            end.fulfil()
        }
    }

    /// What happened until it was stopped.
    private func summaries(of events: AsyncStream<ChatEvent>) async -> [String] {
        var summaries: [String] = []
        for await event in events {
            summaries.append(event.summary)
            if case .becameUnready(let error) = event, error.code == .notReady { break }
        }
        return summaries
    }

    @Test func `is told what the stream tells, in the same order`() async throws {
        let scene = try await ChatScene(isOriginal: false)
        let recorder = Recorder()
        await scene.alice.addObserver(recorder)
        let (events, steps) = (await scene.alice.events, await scene.alice.events)
        let bobs = await scene.bob.events
        try await scene.start()
        await scene.alice.search()
        for await case .discovered in steps { break }
        let (called, came) = try await scene.call(bobs)
        try await called.send("Hi 👋")
        #expect(try await bobs.nextMessage().content == .text("Hi 👋"))
        try await came.send("Hello Alice")
        let message = try await steps.nextMessage()
        await came.setTyping(true)
        for await case .typing in steps { break }
        await called.markRead(message.id)
        for await case .read(let ids, let chat) in bobs {
            #expect(ids == [message.id] && chat.id == came.id)
            break
        }
        await came.leave()
        _ = try await steps.nextEnd()
        await scene.bob.stop()
        try await scene.pass { for await case .lost in steps { break } }
        await scene.aliceRadio.simulatePowerOff()
        for await case .becameUnready in steps { break }
        await scene.aliceRadio.simulatePowerOn()
        try await scene.pass { for await case .becameReady in steps { break } }
        await scene.alice.stop()
        let told = await summaries(of: recorder.events)
        #expect(told == (await summaries(of: events)))
        for part in ["ready", "discovered 'Bob'", "began", "is with Bob", "types", "lost 'Bob'"] {
            #expect(told.contains { $0.contains(part) }, "\(part) in \(told)")
        }
    }

    /// What only an original's chat has.
    @Test func `is told what an original says, and who else calls`() async throws {
        let scene = try await ChatScene()
        let recorder = Recorder()
        await scene.bob.addObserver(recorder)
        let (events, steps) = (await scene.bob.events, await scene.bob.events)
        try await scene.bob.start()
        let carols = await scene.air.radio("Carol's")
        for radio in [scene.aliceRadio, carols] {
            try await OriginalCaller.see(scene.bobRadio.peer, by: radio)
        }
        let link = try await carols.connect(to: scene.bobRadio.peer)
        let original = try await OriginalCaller(scene.aliceRadio, scene.bobRadio.peer)
        // Two are connected: whoever writes has called.
        try await original.write(Array("Hi 👋".utf8))
        _ = try await steps.nextChat()
        await #expect(throws: ATTError.self) { try await original.write([0xFF]) }
        let second = try await OriginalCaller(over: link)
        await #expect(throws: (any Error).self) { try await second.write(Array("me, too".utf8)) }
        #expect(await second.next() == .disconnected)
        await original.link.disconnect()
        _ = try await steps.nextEnd()
        await scene.bob.stop()
        let told = await summaries(of: recorder.events)
        #expect(told == (await summaries(of: events)))
        for part in ["7 bytes of", "UTF-8", "called while a chat was on", "ended"] {
            #expect(told.contains { $0.contains(part) }, "\(part) in \(told)")
        }
    }

    @Test func `is told what happened before the end of a messenger`() async throws {
        let air = MemoryAir(clock: ManualClock())
        let observer = SlowObserver()
        weak var dropped: Messenger?
        do {
            let messenger = Messenger(
                radio: await air.radio("Alice's"),
                name: try ChatName("Alice")
            )
            dropped = messenger
            await messenger.addObserver(observer)
            try await messenger.start()
            await messenger.stop()
        }
        #expect(dropped != nil)
        observer.gate.fulfil()
        try await observer.end.wait()
    }

    @Test func `is told nothing once it is removed, and is held weakly`() async throws {
        let scene = try await ChatScene()
        let removed = Recorder()
        weak var dropped: Recorder?
        do {
            let observer = Recorder()
            dropped = observer
            await scene.alice.addObserver(observer)
        }
        #expect(dropped == nil)
        let staying = Recorder()
        for observer in [removed, staying] { await scene.alice.addObserver(observer) }
        await scene.alice.removeObserver(removed)
        try await scene.alice.start()
        await scene.alice.stop()
        #expect(await summaries(of: staying.events).count == 2)
        removed.finish()
        for await event in removed.events { Issue.record("it was told: \(event.summary)") }
    }

    @Test func `sees that it could not start while Bluetooth was off, and can later`() async throws
    {
        let scene = try await ChatScene()
        await scene.aliceRadio.simulatePowerOff()
        let events = await scene.alice.events
        async let starting: Void = expectFailure(.bluetoothOff) {
            try await scene.alice.start(waitingUpTo: .seconds(5))
        }
        // It is told at once, and once.
        for await case .becameUnready(let error) in events {
            #expect(error.code == .bluetoothOff)
            break
        }
        await scene.clock.pass(.seconds(5))
        await starting
        #expect(await !scene.alice.isReady)
        await scene.aliceRadio.simulatePowerOn()
        try await scene.alice.start()
        #expect(await scene.alice.isReady)
        guard case .becameReady? = await events.first(where: { _ in true }) else {
            Issue.record("it was told twice that Bluetooth is off")
            return await scene.alice.stop()
        }
        await scene.alice.stop()
    }
}
