import BLE
import BLETesting
import NoiseProtocol
import Testing

@testable import BlueChat

@Suite("Two of ours", .timeLimit(.minutes(10)))
struct EncryptedChatTests {
    private static func text(_ text: String) throws -> ChatMessage {
        try ChatMessage(.text(text), time: Messenger.now)
    }

    @Test(arguments: MessengerTests.features)
    func `know each other's key, and chat both ways`(
        features: RadioCapabilities.Features
    ) async throws {
        let scene = try await ChatScene(isOriginal: false, features: features)
        let (alices, bobs) = (await scene.alice.events, await scene.bob.events)
        try await scene.start()
        let (called, came) = try await scene.call(bobs)
        #expect(called.key == scene.bob.key && called.name == "Bob")
        #expect(came.key == scene.alice.key && came.name == "Alice")
        #expect(called.origin == .outgoing && came.origin == .incoming)
        try await called.send("Hi 👋")
        #expect(try await bobs.nextMessage().content == .text("Hi 👋"))
        let long = String(repeating: "long ", count: 3_000)
        try await came.send(long)
        #expect(try await alices.nextMessage().content == .text(long))
        #expect(await called.maximumByteCount == ChatMessage.maximumTextByteCount)
        await called.leave()
        #expect(try await alices.nextEnd() == nil)
        #expect(try await bobs.nextEnd() == nil)
        await expectFailure(.ended) { try await came.send("too late") }
        await scene.alice.stop()
        await scene.bob.stop()
    }

    @Test(arguments: MessengerTests.features)
    func `leave as callee, and call again`(features: RadioCapabilities.Features) async throws {
        let scene = try await ChatScene(isOriginal: false, features: features)
        let (alices, bobs) = (await scene.alice.events, await scene.bob.events)
        try await scene.start()
        for _ in 0..<3 {
            let (_, came) = try await scene.call(bobs)
            await came.leave()
            #expect(try await bobs.nextEnd() == nil)
            #expect(try await alices.nextEnd() == nil)
        }
        await scene.alice.stop()
        await scene.bob.stop()
    }

    @Test(arguments: [true, false])
    func `have no chat when the messenger has stopped meanwhile`(isOriginal: Bool) async throws {
        let scene = try await ChatScene(isOriginal: isOriginal)
        try await scene.start()
        _ = try await scene.alice.find(named: "Bob")
        await scene.bobRadio.simulateConnectionAttempts(.hang)
        async let calling: Void = expectFailure(.notReady) {
            _ = try await scene.alice.call(scene.bobRadio.peer)
        }
        while await scene.alice.calling == nil { await Task.yield() }
        await scene.alice.stop()
        await scene.bobRadio.simulateConnectionAttempts(.succeed)
        await calling
        #expect(await scene.alice.encryptedChats.isEmpty)
        #expect(await scene.alice.chatting == nil)
        await scene.bob.stop()
    }

    /// As when another program on that host still uses the connection.
    @Test func `are called after a while when they left and stay connected`() async throws {
        let scene = try await ChatScene(isOriginal: false)
        let bobs = await scene.bob.events
        try await scene.start()
        let (called, _) = try await scene.call(bobs)
        let held = try await scene.aliceRadio.connect(to: scene.bobRadio.peer)
        await called.leave()
        #expect(try await bobs.nextEnd() == nil)
        let elapsed = scene.clock.stopwatch()
        let again = try await scene.pass { try await scene.bob.call(scene.aliceRadio.peer) }
        let departure = ChatTimeouts().departure
        #expect(elapsed() >= departure && elapsed() < departure + .seconds(2))
        await again.leave()
        await held.disconnect()
        await scene.alice.stop()
        await scene.bob.stop()
    }

    @Test func `are told what has become of messages`() async throws {
        let scene = try await ChatScene(isOriginal: false)
        let (alices, bobs) = (await scene.alice.events, await scene.bob.events)
        try await scene.start()
        let (called, came) = try await scene.call(bobs)
        let file = try ChatFile(name: "a.txt", bytes: [1, 2, 3])
        let sent = [
            try Self.text("one"), try ChatMessage(.file(file), time: 1),
        ]
        for message in sent {
            try await called.send(message)
            #expect(try await bobs.nextMessage() == message)
        }
        await came.setTyping(true)
        for await case .typing(let isTyping, _) in alices {
            #expect(isTyping)
            break
        }
        await came.markRead(sent[1].id)
        for await case .read(let ids, let chat) in alices {
            #expect(ids == sent.map(\.id) && chat.id == called.id)
            break
        }
        await scene.alice.stop()
        await scene.bob.stop()
    }

    /// What was not confirmed when the connection was lost comes in the next chat, once.
    @Test func `lose nothing with the connection`() async throws {
        let scene = try await ChatScene(isOriginal: false)
        let (alices, bobs) = (await scene.alice.events, await scene.bob.events)
        try await scene.start()
        let (called, _) = try await scene.call(bobs)
        await scene.bobRadio.simulateReplies(false)
        let sending = Task { try await called.send("not lost") }
        while await scene.alice.conversations.values.allSatisfy({ $0.waiting.isEmpty }) {
            await Task.yield()
        }
        await scene.air.simulateDisconnection(between: scene.aliceRadio, and: scene.bobRadio)
        await expectFailure(.ended) { try await sending.value }
        #expect(try await alices.nextEnd() == .ended)
        await scene.bobRadio.simulateReplies(true)
        _ = try await bobs.nextEnd()
        let (again, _) = try await scene.pass { try await scene.call(bobs) }
        #expect(again.id != called.id)
        #expect(try await bobs.nextMessage().content == .text("not lost"))
        try await again.send("the next one")
        #expect(try await bobs.nextMessage().content == .text("the next one"))
        await scene.alice.stop()
        await scene.bob.stop()
    }

    /// Whoever gives a message once more after a failure waits for it; it goes out by itself.
    @Test(arguments: MessengerTests.features)
    func `get all that is sent over connections that are lost again and again`(
        features: RadioCapabilities.Features
    ) async throws {
        let scene = try await ChatScene(isOriginal: false, features: features)
        let (alices, bobs) = (await scene.alice.events, await scene.bob.events)
        try await scene.start()
        _ = try await scene.alice.find(named: "Bob")
        // Two of three losses let a message through first: whatever the speed of the machine, there is an end.
        let loss = Task {
            var random = SeededGenerator(seed: 1)
            while !Task.isCancelled {
                for _ in 0..<Int.random(in: 0...2, using: &random) {
                    for await case .delivered in alices { break }
                }
                for _ in 0..<Int.random(in: 0...300, using: &random) { await Task.yield() }
                await scene.air.simulateDisconnection(
                    between: scene.aliceRadio,
                    and: scene.bobRadio
                )
            }
        }
        let messages = try await scene.pass {
            var messages: [ChatMessage] = []
            var failureCount = 0
            while messages.count < 200 || failureCount < 10 {
                let message = try Self.text("\(messages.count)")
                messages.append(message)
                while true {
                    do {
                        try await scene.alice.call(scene.bobRadio.peer).send(message)
                        break
                    } catch is ChatError {
                        failureCount += 1
                    }
                }
            }
            return messages
        }
        loss.cancel()
        await loss.value
        for message in messages { #expect(try await bobs.nextMessage() == message) }
        try await scene.pass {
            await scene.alice.stop()
            await scene.bob.stop()
        }
    }

    /// One chat comes of it, over whichever of the two connections.
    @Test(arguments: 0..<60 as Range<UInt64>)
    func `have one chat when both call`(seed: UInt64) async throws {
        let scene = try await ChatScene(
            seed: seed,
            isOriginal: false,
            features: MessengerTests.features[Int(seed) % 2]
        )
        let (alices, bobs) = (await scene.alice.events, await scene.bob.events)
        try await scene.start()
        let (called, calling) = try await scene.callEachOther()
        try await scene.pass {
            for number in 0..<5 {
                try await called.send("from Alice \(number)")
                try await calling.send("from Bob \(number)")
            }
        }
        for number in 0..<5 {
            #expect(try await bobs.nextMessage().content == .text("from Alice \(number)"))
            #expect(try await alices.nextMessage().content == .text("from Bob \(number)"))
        }
        try await scene.pass { await (seed % 4 < 2 ? called : calling).leave() }
        #expect(try await alices.nextEnd() == nil)
        #expect(try await bobs.nextEnd() == nil)
        await scene.alice.stop()
        await scene.bob.stop()
    }

    @Test func `are several at once, beside an original`() async throws {
        let scene = try await ChatScene(isOriginal: false, features: [])
        let bobs = await scene.bob.events
        try await scene.bob.start()
        var others: [(Messenger, Chat)] = []
        for number in 0..<10 {
            let radio = await scene.air.radio("\(number)", MemoryRadio.Configuration())
            let other = Messenger(
                radio: radio,
                name: try ChatName("\(number)"),
                clock: scene.clock
            )
            try await other.start()
            _ = try await other.find(named: "Bob")
            others.append((other, try await other.call(scene.bobRadio.peer)))
            let came = try await bobs.nextChat()
            #expect(came.name == "\(number)" && came.key == other.key)
        }
        try await OriginalCaller.see(scene.bobRadio.peer, by: scene.aliceRadio)
        let original = try await OriginalCaller(scene.aliceRadio, scene.bobRadio.peer)
        try await original.write(Array("plain".utf8))
        #expect(try await bobs.nextText() == "plain")
        for (number, (_, chat)) in others.enumerated() {
            try await chat.send("secret \(number)")
            #expect(try await bobs.nextMessage().content == .text("secret \(number)"))
        }
        await original.link.disconnect()
        #expect(try await bobs.nextEnd() == nil)
        for (other, _) in others { await other.stop() }
        await scene.bob.stop()
    }

    /// Anybody can begin a session.
    @Test func `are known as such once they have shown their key`() async throws {
        let scene = try await ChatScene(isOriginal: false, features: [])
        let bobs = await scene.bob.events
        try await scene.bob.start()
        let radio = await scene.air.radio("Carol's", MemoryRadio.Configuration())
        for radio in [radio, scene.aliceRadio] {
            try await OriginalCaller.see(scene.bobRadio.peer, by: radio)
        }
        let link = try await radio.connect(to: scene.bobRadio.peer)
        _ = try await link.discoverServices()
        let original = try await OriginalCaller(scene.aliceRadio, scene.bobRadio.peer)
        // Whoever of the two has subscribed shows when it writes.
        try await original.write(Array("it was me".utf8))
        let chat = try await bobs.nextChat()
        var session = CallerSession(id: 1, key: IdentityKey(), name: "Carol")
        var nobody: Conversation?
        let room = await link.mtuBytes - 3
        guard case .write(let hello)? = try session.nextOperation(upTo: room, &nobody) else {
            Issue.record("a session does not begin with a write")
            return
        }
        try await link.write(hello, to: ChatService.fromCaller)
        #expect(await scene.bob.callingDevices.count == 1)
        await expectFailure(.notPrivate) { try await chat.send("for Alice alone") }
        while await !scene.bob.callee.isPrivate {
            switch try session.nextOperation(upTo: room, &nobody) {
            case .write(let bytes)?: try await link.write(bytes, to: ChatService.fromCaller)
            case .read?: _ = try session.receive(try await link.read(ChatService.fromCallee))
            case nil: session.wasNotified()
            }
        }
        try await chat.send("for Alice alone")
        await link.disconnect()
        await original.link.disconnect()
        try await scene.pass { await scene.bob.stop() }
    }

    /// Who subscribes to everything, and reads and writes everywhere, without a key.
    @Test func `tell a stranger nothing`() async throws {
        let scene = try await ChatScene(isOriginal: false, features: [])
        let bobs = await scene.bob.events
        try await scene.start()
        let (called, came) = try await scene.call(bobs)
        let radio = await scene.air.radio("Mallory's", MemoryRadio.Configuration())
        try await OriginalCaller.see(scene.bobRadio.peer, by: radio)
        let link = try await radio.connect(to: scene.bobRadio.peer)
        _ = try await link.discoverServices()
        try await link.subscribe(to: ChatService.fromCallee)
        let heard = Task {
            var values: [[UInt8]] = []
            for await case .notification(_, let value) in link.events { values.append(value) }
            return values
        }
        for number in 0..<5 {
            try await came.send("secret \(number)")
            #expect(try await link.read(ChatService.fromCallee) == [])
        }
        let replayed = SessionValue(session: 1, number: 0, packet: Packet(isLast: true, bytes: [1]))
        for bytes in [[], [1], replayed.encoded] as [[UInt8]] {
            await #expect(throws: ATTError.self) {
                try await link.write(bytes, to: ChatService.fromCaller)
            }
        }
        await link.disconnect()
        #expect(await heard.value.allSatisfy { $0 == ChatService.news })
        try await called.send("still here")
        #expect(try await bobs.nextMessage().content == .text("still here"))
        await scene.alice.stop()
        await scene.bob.stop()
    }

    @Test func `do as the original does with an end that does`() async throws {
        let scene = try await ChatScene(isOriginal: false)
        let original = Messenger(
            radio: await scene.air.radio("Carol's", MemoryRadio.Configuration()),
            name: try ChatName("Carol"),
            isOriginal: true,
            clock: scene.clock
        )
        try await scene.alice.start()
        try await original.start()
        let (alices, carols) = (await scene.alice.events, await original.events)
        let carol = try await scene.alice.find(named: "Carol")
        let chat = try await scene.alice.call(carol.id)
        #expect(chat.key == nil)
        try await chat.send("plain")
        #expect(try await carols.nextText() == "plain")
        await expectFailure(.notEncrypted) { try await chat.send(try Self.text("secret")) }
        await chat.leave()
        _ = try await alices.nextEnd()
        await original.stop()
        await scene.alice.stop()
    }
}
