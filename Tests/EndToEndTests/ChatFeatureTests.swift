import BLE
import BLEDBus
import BlueChat
import BlueZ
import Testing

/// What the original chat can do, over bluetoothd: the rows of Docs/Chat.md.
@Suite("A chat, by its features", .timeLimit(.oneCheck))
struct ChatFeatureTests {
    /// Waits until an adapter advertises, or does not.
    private func waitUntil(_ adapter: Int, advertises: Bool, _ world: any World) async throws {
        try await world.observer().wait(
            for: "ActiveInstances",
            of: "LEAdvertisingManager1",
            at: try ObjectPath("/org/bluez/hci\(adapter)")
        ) { $0?.integer == (advertises ? 1 : 0) }
    }

    @Test func `is advertised with a name, unless a chat is on`() async throws {
        try await checkChat { world, users in
            _ = try await users.start("Bob", on: "hci1")
            // It finds who has the service and the name.
            let caller = try await RawCaller(world)
            await caller.leave()
            let alice = try await users.start("Alice", on: "hci0")
            for adapter in 0...1 { try await waitUntil(adapter, advertises: true, world) }
            let chat = try await alice.call("Bob")
            for adapter in 0...1 { try await waitUntil(adapter, advertises: false, world) }
            await chat.leave()
            for adapter in 0...1 { try await waitUntil(adapter, advertises: true, world) }
        }
    }

    @Test func `finds who is near, and loses who has gone`() async throws {
        try await checkChat { world, users in
            let alice = try await users.start("Alice", on: "hci0")
            let bob = try await users.start("Bob", on: "hci1")
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
        }
    }

    @Test func `is no chat with who lacks a characteristic`() async throws {
        try await checkChat { world, users in
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
            let alice = try await users.start("Alice", on: "hci0")
            let error = await #expect(throws: ChatError.self) { try await alice.call("Bob") }
            #expect(error?.code == .notAChatter, "\(String(describing: error))")
            await alice.end()
            await publication.withdraw()
            await adapter.close()
        }
    }

    @Test func `says how many bytes a text may have`() async throws {
        try await checkChat { world, users in
            let bob = try await users.start("Bob", on: "hci1")
            let alice = try await users.start("Alice", on: "hci0")
            let chat = try await alice.call("Bob")
            let count = try #require(await chat.maximumByteCount)
            let longest = String(repeating: "x", count: count)
            try await chat.send(longest)
            #expect(try await bob.nextText() == longest)
            let error = await #expect(throws: ChatError.self) { try await chat.send(longest + "x") }
            #expect(error?.code == .tooLong && "\(error as Any)".contains("\(count)"))
        }
    }

    @Test func `ends the connection of a caller that does not`() async throws {
        try await checkChat { world, users in
            let bob = try await users.start("Bob", on: "hci1")
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
        }
    }

    @Test func `is over when its caller unsubscribes`() async throws {
        try await checkChat { world, users in
            let bob = try await users.start("Bob", on: "hci1")
            let caller = try await RawCaller(world)
            try await caller.subscribe()
            _ = try await bob.nextChat()
            for digits in ["5472", "5473"] {
                try await caller.link.unsubscribe(from: try RawCaller.attribute(digits))
            }
            #expect(try await bob.nextEnd() == nil)
            await caller.leave()
        }
    }

    @Test func `can be called again when Bluetooth was off`() async throws {
        try await checkChat { world, users in
            let bob = try await users.start("Bob", on: "hci1")
            try await world.powerOff(1)
            for await case .becameUnready(let error) in bob.events {
                #expect(error.code == .bluetoothOff)
                break
            }
            try await world.powerOn(1)
            for await case .becameReady in bob.events { break }
            let alice = try await users.start("Alice", on: "hci0")
            try await alice.call("Bob").send("Hi 👋")
            #expect(try await bob.nextText() == "Hi 👋")
        }
    }

    @Test func `is nobody else's, while a second one calls`() async throws {
        try await checkChat(adapters: 3) { world, users in
            let bob = try await users.start("Bob", on: "hci1")
            let stranger = try await RawCaller(world, on: "hci2")
            let alice = try await users.start("Alice", on: "hci0")
            let called = try await alice.call("Bob")
            try await called.send("it was me")
            let (text, came) = try await bob.nextTextAndChat()
            #expect(text == "it was me")
            try await stranger.subscribe()
            // It would be indicated to both.
            let error = await #expect(throws: ChatError.self) { try await came.send("for her") }
            #expect(error?.code == .notPrivate, "\(String(describing: error))")
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
        }
    }

    /// No system says whose confirmation comes; the text has come all the same.
    ///
    /// Between two real bluetoothds 5.66 the confirmation of what is indicated may be lost: Docs/Hardware.md.
    @Test func `brings an original its texts while one of ours is connected`() async throws {
        try await checkChat(adapters: 3) { world, users in
            let bob = try await users.start("Bob", on: "hci1", isOriginal: false)
            let carol = try await users.start("Carol", on: "hci2", isOriginal: false)
            try await carol.call("Bob").send("I am Carol")
            #expect(try await bob.nextText() == "I am Carol")
            let alice = try await users.start("Alice", on: "hci0")
            try await alice.call("Bob").send("I am Alice")
            let (text, chat) = try await bob.nextTextAndChat()
            #expect(text == "I am Alice")
            let error = await #expect(throws: ChatError.self) { try await chat.send("Hello") }
            let isLost = WorldKind.name == "5.66" && error?.code == .timedOut
            #expect(error?.code == .notConfirmed || isLost, "\(String(describing: error))")
            #expect(try await alice.nextText() == "Hello")
        }
    }

    /// They tap each other at the same moment.
    @Test func `is one when both call`() async throws {
        try await checkChat { world, users in
            let alice = try await users.start("Alice", on: "hci0")
            let bob = try await users.start("Bob", on: "hci1")
            // Before either calls: an original in a chat does not advertise its name.
            let (foundBob, foundAlice) = (try await alice.find("Bob"), try await bob.find("Alice"))
            async let callingBob = alice.messenger.call(foundBob.id)
            async let callingAlice = bob.messenger.call(foundAlice.id)
            let (called, calling) = try await (callingBob, callingAlice)
            try await called.send("one")
            #expect(try await bob.nextText() == "one")
            try await calling.send("two")
            #expect(try await alice.nextText() == "two")
            await called.leave()
            #expect(try await alice.nextEnd() == nil)
            #expect(try await bob.nextEnd() == nil)
        }
    }

    /// As a bluetoothd 5.66 has one now and then, when two call each other.
    @Test(arguments: ConnectionFault.allCases)
    func `comes of a call whose first connection carries nothing`(
        _ fault: ConnectionFault
    ) async throws {
        let reason = "a real bluetoothd has such a connection by chance"
        try await checkChat(virtualOnlyBecause: reason) { world, users in
            let bob = try await users.start("Bob", on: "hci1")
            let alice = try await users.start("Alice", on: "hci0")
            try await fault.make(in: try #require(world as? VirtualWorld))
            try await alice.call("Bob").send("Hi 👋")
            #expect(try await bob.nextText() == "Hi 👋")
        }
    }

    enum ConnectionFault: CaseIterable {
        case servicesAreNotResolved
        case subscribingIsNotAnswered

        /// Of the next connection from hci0 to hci1.
        func make(in world: VirtualWorld) async throws {
            switch self {
            case .servicesAreNotResolved:
                try await world.pull("ResolveNever", [.uint32(0), .uint32(1), .uint32(1)])
            case .subscribingIsNotAnswered:
                let method = "org.bluez.GattCharacteristic1.StartNotify"
                try await world.pull("IgnoreCall", [.string(method), .uint32(1)])
            }
        }
    }

    @Test func `is one of several with others of this library`() async throws {
        try await checkChat(adapters: 3) { world, users in
            let bob = try await users.start("Bob", on: "hci1", isOriginal: false)
            let alice = try await users.start("Alice", on: "hci0", isOriginal: false)
            let carol = try await users.start("Carol", on: "hci2", isOriginal: false)
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
        }
    }
}

/// Of a service that is never asked for anything.
private struct NoResponder: GATTResponder {}
