import BLE
import BLEDBus
import BlueChat
import BlueZ
import Testing

/// What the original chat can do, over bluetoothd: the rows of Docs/Chat.md.
@Suite("A chat, by its features", .timeLimit(.oneCheck))
struct ChatFeatureTests {
    /// A messenger on an adapter of its own.
    private struct User {
        let adapter: Adapter
        let messenger: Messenger
        let events: AsyncStream<ChatEvent>

        init(
            _ name: String,
            _ adapterName: String,
            _ world: any World,
            isOriginal: Bool = true
        ) async throws {
            adapter = try await Adapter.open(adapterName, onBusAt: world.bus.rawValue)
            messenger = Messenger(
                radio: adapter,
                name: try ChatName(name),
                isOriginal: isOriginal
            )
            events = await messenger.events
            try await messenger.start()
        }

        /// Calls somebody who is to be found.
        func call(_ name: String) async throws -> Chat {
            let found = try await messenger.find(named: name, within: .seconds(60))
            return try await messenger.call(found.id)
        }

        func nextChat() async throws -> Chat {
            for await case .began(let chat) in events { return chat }
            throw CancellationError()
        }

        func nextText() async throws -> String {
            for await event in events {
                switch event {
                case .received(let text, _): return text
                case .receivedMessage(let message, _):
                    if case .text(let text) = message.content { return text }
                default: continue
                }
            }
            throw CancellationError()
        }

        /// - Returns: why the next chat ends that does; `nil` when one of the two has left.
        func nextEnd() async throws -> ChatError? {
            for await case .ended(_, let error) in events { return error }
            throw CancellationError()
        }

        func end() async {
            await messenger.stop()
            await adapter.close()
        }
    }

    /// Waits until an adapter advertises, or does not.
    private func waitUntil(_ adapter: Int, advertises: Bool, _ world: any World) async throws {
        try await world.observer().wait(
            for: "ActiveInstances",
            of: "LEAdvertisingManager1",
            at: try ObjectPath("/org/bluez/hci\(adapter)")
        ) { $0?.integer == (advertises ? 1 : 0) }
    }

    @Test func `is advertised with a name, unless a chat is on`() async throws {
        try await check { world in
            let bob = try await User("Bob", "hci1", world)
            // It finds who has the service and the name.
            let caller = try await RawCaller(world)
            await caller.leave()
            let alice = try await User("Alice", "hci0", world)
            for adapter in 0...1 { try await waitUntil(adapter, advertises: true, world) }
            let chat = try await alice.call("Bob")
            for adapter in 0...1 { try await waitUntil(adapter, advertises: false, world) }
            await chat.leave()
            for adapter in 0...1 { try await waitUntil(adapter, advertises: true, world) }
            await alice.end()
            await bob.end()
        }
    }

    @Test func `finds who is near, and loses who has gone`() async throws {
        try await check { world in
            let alice = try await User("Alice", "hci0", world)
            let bob = try await User("Bob", "hci1", world)
            await alice.messenger.search()
            for await case .discovered(let found) in alice.events {
                #expect(found.name == "Bob")
                #expect(found.rssi < RSSI(0))
                break
            }
            await bob.end()
            for await case .lost(let lost) in alice.events {
                #expect(lost.name == "Bob")
                break
            }
            #expect(await alice.messenger.nearby.isEmpty)
            await alice.end()
        }
    }

    @Test func `is no chat with who lacks a characteristic`() async throws {
        try await check { world in
            let adapter = try await Adapter.open("hci1", onBusAt: world.bus.rawValue)
            let toCallee = try RawCaller.attribute("5471")
            let publication = try await adapter.publish(
                GATTService(
                    uuid: toCallee.service,
                    characteristics: [
                        GATTCharacteristic(uuid: toCallee.characteristic, properties: .write)
                    ]
                ),
                advertising: Advertisement(
                    localName: "Bob",
                    serviceUUIDs: [toCallee.service]
                ),
                responder: NoResponder()
            )
            let alice = try await User("Alice", "hci0", world)
            let error = await #expect(throws: ChatError.self) { try await alice.call("Bob") }
            #expect(error?.code == .notAChatter, "\(String(describing: error))")
            await alice.end()
            await publication.withdraw()
            await adapter.close()
        }
    }

    @Test func `says how many bytes a text may have`() async throws {
        try await check { world in
            let bob = try await User("Bob", "hci1", world)
            let alice = try await User("Alice", "hci0", world)
            let chat = try await alice.call("Bob")
            let count = try #require(await chat.maximumByteCount)
            let longest = String(repeating: "x", count: count)
            try await chat.send(longest)
            #expect(try await bob.nextText() == longest)
            let error = await #expect(throws: ChatError.self) { try await chat.send(longest + "x") }
            #expect(error?.code == .tooLong && "\(error as Any)".contains("\(count)"))
            await alice.end()
            await bob.end()
        }
    }

    @Test func `ends the connection of a caller that does not`() async throws {
        try await check { world in
            let bob = try await User("Bob", "hci1", world)
            let caller = try await RawCaller(world)
            try await caller.subscribe()
            let chat = try await bob.nextChat()
            #expect(chat.title == "(unknown)")
            let leaving = Task { await chat.leave() }
            let leave = try RawCaller.attribute("5473")
            var isAsked = false
            events: for await event in caller.link.events {
                switch event {
                case .notification(leave, let bytes):
                    #expect(bytes == [0x01])
                    isAsked = true
                case .disconnected: break events
                default: continue
                }
            }
            #expect(isAsked)
            await leaving.value
            #expect(try await bob.nextEnd() == nil)
            await caller.leave()
            await bob.end()
        }
    }

    @Test func `is over when its caller unsubscribes`() async throws {
        try await check { world in
            let bob = try await User("Bob", "hci1", world)
            let caller = try await RawCaller(world)
            try await caller.subscribe()
            _ = try await bob.nextChat()
            for digits in ["5472", "5473"] {
                try await caller.link.unsubscribe(from: try RawCaller.attribute(digits))
            }
            #expect(try await bob.nextEnd() == nil)
            await caller.leave()
            await bob.end()
        }
    }

    @Test func `can be called again when Bluetooth was off`() async throws {
        try await check { world in
            let bob = try await User("Bob", "hci1", world)
            try await world.powerOff(1)
            for await case .becameUnready(let error) in bob.events {
                #expect(error.code == .bluetoothOff)
                break
            }
            try await world.powerOn(1)
            for await case .becameReady in bob.events { break }
            let alice = try await User("Alice", "hci0", world)
            try await alice.call("Bob").send("Hi 👋")
            #expect(try await bob.nextText() == "Hi 👋")
            await alice.end()
            await bob.end()
        }
    }

    @Test func `is nobody else's, while a second one calls`() async throws {
        try await check(adapters: 3) { world in
            let bob = try await User("Bob", "hci1", world)
            let stranger = try await RawCaller(world, on: "hci2")
            let alice = try await User("Alice", "hci0", world)
            let called = try await alice.call("Bob")
            try await called.send("it was me")
            #expect(try await bob.nextText() == "it was me")
            try await stranger.subscribe()
            #expect(try await stranger.write(Array("me, too".utf8)) != nil)
            var heard = 0
            events: for await event in stranger.link.events {
                switch event {
                case .notification: heard += 1
                case .disconnected: break events
                default: continue
                }
            }
            #expect(heard == 0)
            for await case .refusedCaller in bob.events { break }
            await stranger.adapter.close()
            try await called.send("still here")
            #expect(try await bob.nextText() == "still here")
            await alice.end()
            await bob.end()
        }
    }

    /// They tap each other at the same moment.
    @Test func `is one when both call`() async throws {
        try await check { world in
            let alice = try await User("Alice", "hci0", world)
            let bob = try await User("Bob", "hci1", world)
            async let callingBob = alice.call("Bob")
            async let callingAlice = bob.call("Alice")
            let (called, calling) = try await (callingBob, callingAlice)
            try await called.send("one")
            #expect(try await bob.nextText() == "one")
            try await calling.send("two")
            #expect(try await alice.nextText() == "two")
            await called.leave()
            #expect(try await alice.nextEnd() == nil)
            #expect(try await bob.nextEnd() == nil)
            await alice.end()
            await bob.end()
        }
    }

    @Test func `is one of several with others of this library`() async throws {
        try await check(adapters: 3) { world in
            let bob = try await User("Bob", "hci1", world, isOriginal: false)
            let alice = try await User("Alice", "hci0", world, isOriginal: false)
            let carol = try await User("Carol", "hci2", world, isOriginal: false)
            let alices = try await alice.call("Bob")
            let toAlice = try await bob.nextChat()
            let carols = try await carol.call("Bob")
            let toCarol = try await bob.nextChat()
            try await alices.send("I am Alice")
            #expect(try await bob.nextText() == "I am Alice")
            try await carols.send("I am Carol")
            #expect(try await bob.nextText() == "I am Carol")
            try await toAlice.send("Hello Alice")
            #expect(try await alice.nextText() == "Hello Alice")
            try await toCarol.send("Hello Carol")
            #expect(try await carol.nextText() == "Hello Carol")
            for user in [alice, carol, bob] { await user.end() }
        }
    }
}

/// Of a service that is never asked for anything.
private struct NoResponder: GATTResponder {}
