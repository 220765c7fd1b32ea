import BLE
import BLETesting
import Testing

@testable import BlueChat

@Suite("A messenger", .timeLimit(.minutes(10)))
struct MessengerTests {
    /// What the systems can do: name who has subscribed, or not, as BlueZ 5.66.
    static let features: [RadioCapabilities.Features] = [
        [.individualNotifications, .namedSubscribers, .writeKinds], [],
    ]

    @Test(arguments: features)
    func `calls, and is called`(features: RadioCapabilities.Features) async throws {
        let scene = try await ChatScene(features: features)
        let (alices, bobs) = (await scene.alice.events, await scene.bob.events)
        try await scene.start()
        let (called, came) = try await scene.call(bobs)
        #expect(called.origin == .outgoing)
        #expect(came.origin == .incoming)
        #expect(came.title == "(unknown)")
        try await called.send("Hi 👋")
        #expect(try await bobs.nextText() == "Hi 👋")
        try await came.send("Hello Alice")
        #expect(try await alices.nextText() == "Hello Alice")
        await called.leave()
        #expect(try await alices.nextEnd() == nil)
        #expect(try await bobs.nextEnd() == nil)
        await expectFailure(.ended) { try await came.send("too late") }
        await scene.alice.stop()
        await scene.bob.stop()
    }

    @Test func `starts no more when it is stopped before`() async throws {
        let scene = try await ChatScene()
        await scene.aliceRadio.simulatePowerOff()
        let alice = scene.alice
        async let starting: Void = expectFailure(.notReady) {
            try await alice.start(waitingUpTo: nil)
        }
        while await alice.serving == nil { await Task.yield() }
        await alice.stop()
        await starting
        await scene.aliceRadio.simulatePowerOn()
        try await alice.start()
        #expect(await alice.isReady)
        await alice.stop()
    }

    @Test func `runs as long as its task`() async throws {
        let scene = try await ChatScene()
        await scene.aliceRadio.simulatePowerOff()
        let events = await scene.alice.events
        let alice = scene.alice
        let running = Task { try await alice.run() }
        await scene.aliceRadio.simulatePowerOn()
        for await case .becameReady in events { break }
        running.cancel()
        try await running.value
        #expect(await !alice.isReady)
        // And as often as one likes, until somebody stops it.
        let again = Task { try await alice.run() }
        for await case .becameReady in events { break }
        await alice.stop()
        try await again.value
        #expect(await !alice.isReady)
    }

    /// As when the system's bus has ended: the radio does not come back to who has it.
    @Test func `runs no longer than there is a radio`() async throws {
        let scene = try await ChatScene()
        let events = await scene.alice.events
        let alice = scene.alice
        let running = Task { try await alice.run() }
        for await case .becameReady in events { break }
        await scene.aliceRadio.close()
        await #expect {
            try await scene.clock.run { try await running.value }
        } throws: {
            ($0 as? ChatError)?.code == .bluetoothAbsent
        }
        #expect(await alice.serving == nil)
    }

    @Test func `says to who waits that it cannot go on`() async throws {
        let scene = try await ChatScene()
        let alice = scene.alice
        try await alice.start()
        let waiting = Task { try await alice.waitUntilEnded() }
        await scene.aliceRadio.close()
        await #expect {
            try await scene.clock.run { try await waiting.value }
        } throws: {
            ($0 as? ChatError)?.code == .bluetoothAbsent
        }
        await #expect {
            try await alice.waitUntilEnded()
        } throws: {
            ($0 as? ChatError)?.code == .bluetoothAbsent
        }
        await alice.stop()
        try await alice.waitUntilEnded()
    }

    @Test(arguments: features)
    func `is asked by its callee to end the connection`(
        features: RadioCapabilities.Features
    ) async throws {
        let scene = try await ChatScene(features: features)
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

    @Test func `ends the connection itself when its caller does not`() async throws {
        let scene = try await ChatScene()
        let bobs = await scene.bob.events
        try await scene.bob.start()
        try await OriginalCaller.see(scene.bobRadio.peer, by: scene.aliceRadio)
        let original = try await OriginalCaller(scene.aliceRadio, scene.bobRadio.peer)
        let chat = try await bobs.nextChat()
        let leaving = Task { await chat.leave() }
        #expect(await original.next() == .leave)
        await scene.clock.pass(.seconds(3))
        await leaving.value
        #expect(await original.next() == .disconnected)
        #expect(try await bobs.nextEnd() == nil)
        await scene.bob.stop()
    }

    @Test func `is advertised unless a chat is on`() async throws {
        let scene = try await ChatScene()
        let bobs = await scene.bob.events
        try await scene.start()
        let watcher = await scene.air.radio("Watcher")
        let sightings = try await watcher.scan(ScanFilter(services: [ChatService.uuid]))
        var names = Set<String>()
        for try await case .seen(let sighting) in sightings {
            names.insert(sighting.name)
            if names.count == 2 { break }
        }
        #expect(names == ["Alice", "Bob"])
        let (called, _) = try await scene.call(bobs)
        for messenger in [scene.alice, scene.bob] {
            while await messenger.publication?.isAdvertising == true { await Task.yield() }
        }
        await called.leave()
        _ = try await bobs.nextEnd()
        for messenger in [scene.alice, scene.bob] {
            while await messenger.publication?.isAdvertising == false { await Task.yield() }
        }
        await scene.alice.stop()
        await scene.bob.stop()
    }

    @Test func `finds others by name, and knows the name of who calls then`() async throws {
        let scene = try await ChatScene()
        let bobs = await scene.bob.events
        try await scene.start()
        let bob = try await scene.alice.find(named: "Bob")
        #expect(bob.id == scene.bobRadio.peer)
        _ = try await scene.bob.find(named: "Alice")
        let (called, came) = try await scene.call(bobs)
        #expect(called.title == "Bob")
        #expect(came.title == "Alice")
        await scene.alice.stop()
        await scene.bob.stop()
    }

    @Test func `says that nobody of a name was found`() async throws {
        let scene = try await ChatScene()
        try await scene.start()
        async let search: Void = expectFailure(.notFound) {
            _ = try await scene.alice.find(named: "Carol", within: .seconds(7))
        }
        await scene.clock.pass(.seconds(7))
        await search
        await scene.alice.stop()
        await scene.bob.stop()
    }

    @Test(arguments: [23, 185, 517])
    func `sends no text in several packets`(mtuBytes: Int) async throws {
        let scene = try await ChatScene(mtuBytes: mtuBytes)
        let bobs = await scene.bob.events
        try await scene.start()
        let (called, came) = try await scene.call(bobs)
        let limit = min(mtuBytes - 3, 508)
        #expect(await called.maximumByteCount == limit)
        let longest = String(repeating: "x", count: limit)
        try await called.send(longest)
        #expect(try await bobs.nextText() == longest)
        await expectFailure(.tooLong) { try await called.send(longest + "x") }
        await expectFailure(.empty) { try await called.send("") }
        // It has learnt the MTU by then.
        #expect(await came.maximumByteCount == limit)
        await scene.alice.stop()
        await scene.bob.stop()
    }

    @Test func `keeps the order of texts`() async throws {
        let scene = try await ChatScene()
        let bobs = await scene.bob.events
        try await scene.start()
        let (called, _) = try await scene.call(bobs)
        for number in 0..<100 { try await called.send("\(number)") }
        for number in 0..<100 { #expect(try await bobs.nextText() == "\(number)") }
        await scene.alice.stop()
        await scene.bob.stop()
    }

    @Test func `refuses what is no text`() async throws {
        let scene = try await ChatScene()
        let bobs = await scene.bob.events
        try await scene.bob.start()
        try await OriginalCaller.see(scene.bobRadio.peer, by: scene.aliceRadio)
        let original = try await OriginalCaller(scene.aliceRadio, scene.bobRadio.peer)
        _ = try await bobs.nextChat()
        await #expect(throws: (any Error).self) { try await original.write([0xFF, 0xFE]) }
        // Those of the original may be empty.
        try await original.write([])
        try await original.write(Array("Hi 👋".utf8))
        var received: [String] = []
        for await event in bobs {
            switch event {
            case .failedToReceive(let error, _): received.append("\(error.code)")
            case .received(let text, _): received.append(text)
            default: continue
            }
            if received.count == 3 { break }
        }
        #expect(received == ["invalidText", "empty", "Hi 👋"])
        await original.link.disconnect()
        await scene.bob.stop()
    }

    @Test func `disconnects a second caller`() async throws {
        let scene = try await ChatScene()
        let bobs = await scene.bob.events
        try await scene.start()
        let carols = await scene.air.radio("Carol's")
        try await OriginalCaller.see(scene.bobRadio.peer, by: carols)
        let link = try await carols.connect(to: scene.bobRadio.peer)
        let called = try await scene.alice.call(scene.bobRadio.peer)
        try await called.send("it was me")
        let came = try await bobs.nextChat()
        let carol = try await OriginalCaller(over: link)
        await #expect(throws: (any Error).self) { try await carol.write(Array("me, too".utf8)) }
        #expect(await carol.next() == .disconnected)
        for await case .refusedCaller(let peer) in bobs {
            #expect(peer == carols.peer)
            break
        }
        while await !scene.bob.callee.isPrivate { await Task.yield() }
        try await came.send("for Alice alone")
        await scene.alice.stop()
        await scene.bob.stop()
    }

    @Test func `sends nothing that another central might be sent, too`() async throws {
        let scene = try await ChatScene(features: [])
        let bobs = await scene.bob.events
        try await scene.start()
        let radio = await scene.air.radio("Stranger")
        try await OriginalCaller.see(scene.bobRadio.peer, by: radio)
        let stranger = try await radio.connect(to: scene.bobRadio.peer)
        let called = try await scene.alice.call(scene.bobRadio.peer)
        // Whoever of the two has subscribed shows when it writes.
        try await called.send("it was me")
        let came = try await bobs.nextChat()
        await expectFailure(.notPrivate) { try await came.send("for Alice alone") }
        await stranger.disconnect()
        while await !scene.bob.callee.isPrivate { await Task.yield() }
        try await came.send("for Alice alone")
        await scene.alice.stop()
        await scene.bob.stop()
    }

    @Test func `says that it is busy`() async throws {
        let scene = try await ChatScene()
        let bobs = await scene.bob.events
        await expectFailure(.notReady) { _ = try await scene.alice.call(scene.bobRadio.peer) }
        try await scene.start()
        let (called, came) = try await scene.call(bobs)
        await expectFailure(.busy) {
            _ = try await scene.alice.call(PeerID(rawValue: "Carol's"))
        }
        // Whoever calls the one with whom a chat is on has that chat.
        #expect(try await scene.alice.call(scene.bobRadio.peer).id == called.id)
        #expect(try await scene.bob.call(scene.aliceRadio.peer).id == came.id)
        await scene.alice.stop()
        await scene.bob.stop()
    }

    @Test func `says that somebody is no chatter`() async throws {
        let scene = try await ChatScene()
        let publication = try await scene.startWithIncompleteBob()
        await expectFailure(.notAChatter) { _ = try await scene.alice.call(scene.bobRadio.peer) }
        #expect(await scene.alice.callee.isFree)
        await publication.withdraw()
        await scene.alice.stop()
    }

    @Test func `says so when that was known in time, and the connection ends later`() async throws {
        let scene = try await ChatScene()
        let publication = try await scene.startWithIncompleteBob()
        await scene.aliceRadio.simulateDisconnecting(takes: .seconds(17))
        async let call: Void = expectFailure(.notAChatter) {
            _ = try await scene.alice.call(scene.bobRadio.peer)
        }
        await scene.clock.waitForSleeper(for: .seconds(17))
        await scene.clock.pass(.seconds(15))
        await scene.clock.pass(.seconds(2))
        await call
        await publication.withdraw()
        await scene.alice.stop()
    }

    @Test func `gives a call up at its limit`() async throws {
        let scene = try await ChatScene()
        try await scene.start()
        _ = try await scene.alice.find(named: "Bob")
        await scene.bobRadio.simulateConnectionAttempts(.hang)
        async let call: Void = expectFailure(.timedOut) {
            _ = try await scene.alice.call(scene.bobRadio.peer)
        }
        await scene.clock.pass(.seconds(15))
        await call
        #expect(await scene.alice.calling == nil)
        await scene.alice.stop()
        await scene.bob.stop()
    }

    @Test func `gives a text up that is not confirmed in time`() async throws {
        let scene = try await ChatScene()
        let bobs = await scene.bob.events
        try await scene.bob.start()
        try await OriginalCaller.see(scene.bobRadio.peer, by: scene.aliceRadio)
        let original = try await OriginalCaller(scene.aliceRadio, scene.bobRadio.peer)
        let chat = try await bobs.nextChat()
        await scene.aliceRadio.simulateConfirmations(false)
        async let sending: Void = expectFailure(.timedOut) { try await chat.send("Hello?") }
        await scene.clock.pass(.seconds(15))
        await sending
        await original.link.disconnect()
        await scene.bob.stop()
    }

    @Test func `reports a connection that is lost`() async throws {
        let scene = try await ChatScene()
        let (alices, bobs) = (await scene.alice.events, await scene.bob.events)
        try await scene.start()
        _ = try await scene.call(bobs)
        await scene.air.simulateDisconnection(between: scene.aliceRadio, and: scene.bobRadio)
        #expect(try await alices.nextEnd() == .ended)
        _ = try await bobs.nextEnd()
        // Calling again right after works.
        _ = try await scene.call(bobs)
        await scene.alice.stop()
        await scene.bob.stop()
    }

    @Test func `is ready again when the radio is`() async throws {
        let scene = try await ChatScene()
        let events = await scene.bob.events
        try await scene.bob.start()
        await scene.bobRadio.simulatePowerOff()
        for await case .becameUnready(let error) in events {
            #expect(error.code == .bluetoothOff)
            break
        }
        await scene.bobRadio.simulatePowerOn()
        try await scene.pass { for await case .becameReady in events { break } }
        #expect(await scene.bob.isReady)
        await scene.bob.stop()
    }
}
