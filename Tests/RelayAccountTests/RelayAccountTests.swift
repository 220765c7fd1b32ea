import BLE
import BLEStorage
import BLETesting
import MeshRelay
import Testing

@testable import RelayAccount

@Suite("Accounts of a mesh", .timeLimit(.minutes(10)))
struct RelayAccountTests {
    /// One user, on a radio in memory.
    private struct User: Sendable {
        let account: RelayAccount
        let radio: MemoryRadio
        let events: AsyncStream<RelayEvent>

        var address: RelayAddress { account.node.address }

        /// Waits for an event.
        func wait(for isWanted: (RelayEvent) -> Bool) async throws {
            for await event in events where isWanted(event) { return }
            throw CancellationError()
        }

        func waitForMessage() async throws {
            try await wait { if case .received = $0 { true } else { false } }
        }

        func waitForDelivery() async throws {
            try await wait { if case .delivered = $0 { true } else { false } }
        }
    }

    /// Source: Docs/Wire.md, dIM.
    private static let packets = AttributeID(
        service: "D6B52A44-E586-4502-9F98-4799C8B95C86",
        characteristic: "54C89B72-F7EE-4A0A-8382-7367C3E151A5"
    )

    private let clock = ManualClock()
    private let air: MemoryAir
    private let folders = ["alice": TemporaryFolder(), "bobby": TemporaryFolder()]

    init() {
        air = MemoryAir(clock: clock)
    }

    private func user(
        _ name: String,
        on radio: MemoryRadio? = nil,
        receipts: Bool = false
    ) async throws -> User {
        guard let folder = folders[name] else { throw CancellationError() }
        let store = try await folder.open()
        if try await store.address() == nil {
            try await store.setAddress(try RelayAddress("\(name)#1234"))
        }
        let memoryRadio = if let radio { radio } else { await air.radio(name) }
        let account = try await RelayAccount(
            store: store,
            radio: memoryRadio,
            sendsReadReceipts: receipts,
            clock: clock
        )
        return User(account: account, radio: memoryRadio, events: await account.events)
    }

    /// Alice and Bob, who are each other's contacts.
    private func pair(receipts: Bool = false) async throws -> (User, User) {
        let (alice, bob) = (try await user("alice"), try await user("bobby", receipts: receipts))
        try await alice.account.add(bob.account.node.link)
        try await bob.account.add(alice.account.node.link)
        return (alice, bob)
    }

    /// Connects a radio without a node, and knows the services then.
    private static func connect(_ radio: MemoryRadio, to user: User) async throws -> any Link {
        for try await case .seen(let sighting) in try await radio.scan(
            ScanFilter(service: packets.service)
        ) where sighting.peer == user.radio.peer {
            let link = try await radio.connect(to: sighting.peer)
            _ = try await link.discoverServices()
            return link
        }
        throw CancellationError()
    }

    private func end(_ users: User...) async throws {
        for user in users {
            try await clock.run { await user.account.stop() }
            await user.account.store.close()
        }
    }

    private func states(_ user: User, with contact: RelayAddress) async throws
        -> [RelayMessageStatus]
    {
        try await user.account.store.messages(with: contact).map(\.status)
    }

    @Test func `keep what they send, how far it has come, and what they get`() async throws {
        let (alice, bob) = try await pair(receipts: true)
        try await clock.run {
            try await alice.account.start()
            try await bob.account.start()
            try await alice.account.send("Hi 👋", to: bob.address)
            try await bob.waitForMessage()
            try await alice.waitForDelivery()
        }
        #expect(try await states(alice, with: bob.address) == [.delivered])
        let got = try await bob.account.store.messages(with: alice.address)
        #expect(got.map(\.text) == ["Hi 👋"])
        #expect(got.map(\.status) == [.received])
        try await clock.run {
            try await bob.account.markRead(alice.address)
            try await alice.wait { if case .read = $0 { true } else { false } }
        }
        #expect(try await states(alice, with: bob.address) == [.read])
        #expect(try await states(bob, with: alice.address) == [.receiptSent])
        try await end(alice, bob)
    }

    @Test func `say nothing of reading unless they want to`() async throws {
        let (alice, bob) = try await pair()
        try await clock.run {
            try await alice.account.start()
            try await bob.account.start()
            try await alice.account.send("Hi 👋", to: bob.address)
            try await bob.waitForMessage()
            try await bob.account.markRead(alice.address)
        }
        #expect(try await states(bob, with: alice.address) == [.received])
        #expect(try await bob.account.store.contacts()[0].unreadCount == 0)
        try await end(alice, bob)
    }

    /// A message that nobody was there for is sent by the next program with the store.
    @Test func `deliver after a restart, and believe the receipt`() async throws {
        let (first, bob) = try await pair()
        let contact = bob.address
        try await clock.run {
            try await first.account.start()
            try await first.account.send("later", to: contact)
        }
        try await end(first)
        let alice = try await user("alice", on: first.radio)
        try await clock.run {
            try await alice.account.start()
            try await bob.account.start()
            try await bob.waitForMessage()
            try await alice.waitForDelivery()
        }
        #expect(try await states(alice, with: contact) == [.delivered])
        #expect(try await bob.account.store.messages(with: alice.address).map(\.text) == ["later"])
        try await end(alice, bob)
    }

    /// One that was delivered before, and one that was given up and has come all the same.
    @Test func `believe that messages were read after a restart`() async throws {
        let (first, bob) = try await pair()
        let store = first.account.store
        let delivered = try await store.addOutgoing("delivered", id: 1, to: bob.address)
        try await store.keepDelivery(of: delivered.messageID, to: bob.address)
        let failed = try await store.addOutgoing("failed", id: 2, to: bob.address)
        try await store.fail([failed.number])
        try await end(first)
        let alice = try await user("alice", on: first.radio)
        try await clock.run {
            try await alice.account.start()
            try await bob.account.start()
            for message in [delivered, failed] {
                await bob.account.node.markRead([message.messageID], of: alice.address)
                try await alice.wait { if case .read = $0 { true } else { false } }
            }
        }
        #expect(try await states(alice, with: bob.address) == [.read, .read])
        try await end(alice, bob)
    }

    /// The memory of which messages have come does not end with the program.
    @Test func `acknowledge a message that they have, and don't show it again`() async throws {
        let (alice, first) = try await pair()
        let id: Int32 = 77
        try await clock.run {
            try await alice.account.start()
            try await first.account.start()
            try await alice.account.node.send("once", to: first.address, id: id)
            try await first.waitForMessage()
            try await alice.waitForDelivery()
        }
        try await end(first, alice)
        // Both have forgotten what was sent; the store has not.
        let bob = try await user("bobby", on: first.radio)
        let again = try await user("alice", on: alice.radio)
        try await clock.run {
            try await bob.account.start()
            try await again.account.start()
            try await again.account.node.send("once", to: bob.address, id: id)
            try await again.waitForDelivery()
        }
        let messages = try await bob.account.store.messages(with: again.address)
        #expect(messages.map(\.text) == ["once"])
        try await end(again, bob)
    }

    /// Whoever has kept its text sends it as a new one.
    @Test func `don't show a message that they have under another number, after a restart`()
        async throws
    {
        let (alice, first) = try await pair()
        let app = await air.radio("app")
        let packet = try await clock.run {
            try await alice.account.start()
            try await first.account.start()
            let link = try await Self.connect(app, to: alice)
            try await link.subscribe(to: Self.packets)
            try await alice.account.send("once", to: first.address)
            try await first.waitForMessage()
            try await alice.waitForDelivery()
            for await case .notification(_, let bytes) in link.events {
                let packet = try RelayPacket(bytes)
                if packet.kind == .message { return packet }
            }
            throw CancellationError()
        }
        try await end(first, alice)
        let bob = try await user("bobby", on: first.radio)
        var copy = packet
        copy.id = packet.id == 7 ? 8 : 7
        let bytes = copy.encoded(for: .both)
        try await clock.run {
            try await bob.account.start()
            let link = try await Self.connect(app, to: bob)
            try await link.write(bytes, to: Self.packets)
            while await bob.account.node.counters.delivered == 0 { await Task.yield() }
        }
        #expect(await bob.account.node.counters.ignored == [.copied: 1])
        #expect(try await bob.account.store.messages(with: alice.address).map(\.text) == ["once"])
        try await end(bob)
    }

    /// It is as if the message had not come, so its sender sends it again.
    @Test func `acknowledge nothing that they could not keep`() async throws {
        let (alice, bob) = try await pair()
        await bob.account.store.close()
        try await clock.run {
            try await alice.account.start()
            try await bob.account.start()
            try await alice.account.send("Hi 👋", to: bob.address)
            try await bob.wait { if case .notKept = $0 { true } else { false } }
        }
        #expect(try await states(alice, with: bob.address) == [.sent])
        try await end(bob)
        let again = try await user("bobby", on: bob.radio)
        try await clock.run {
            try await again.account.start()
            try await again.waitForMessage()
            try await alice.waitForDelivery()
        }
        #expect(try await states(alice, with: bob.address) == [.delivered])
        try await end(alice, again)
    }

    @Test func `send a message once more as a new one`() async throws {
        let (alice, bob) = try await pair()
        let message = try await alice.account.send("Hi", to: bob.address)
        let next = try await alice.account.resend(message.number)
        #expect(next?.text == "Hi" && next?.messageID != message.messageID)
        #expect(try await alice.account.resend(99) == nil)
        #expect(try await alice.account.store.waitingMessages().count == 2)
        try await end(alice, bob)
    }

    @Test func `refuse texts that no packet carries, and keep nothing of them`() async throws {
        let (alice, bob) = try await pair()
        let limit = await alice.account.node.maximumTextByteCount(to: bob.address)
        let text = String(repeating: "a", count: limit + 1)
        let error = await #expect(throws: RelayError.self) {
            try await alice.account.send(text, to: bob.address)
        }
        #expect(error?.code == .tooLong)
        #expect(try await alice.account.store.waitingMessages().isEmpty)
        try await end(alice, bob)
    }

    /// However much waits for somebody who is away.
    @Test func `send all that waits, and let nobody wait for another's messages`() async throws {
        let (alice, bob) = try await pair()
        let store = alice.account.store
        try await alice.account.add(Person.carol)
        for id in 0..<100 as Range<Int32> {
            _ = try await store.addOutgoing("to Carol", id: id, to: Person.carol.address)
        }
        for id in 0..<40 as Range<Int32> {
            _ = try await store.addOutgoing("\(id)", id: id, to: bob.address)
        }
        try await clock.run {
            try await alice.account.start()
            try await bob.account.start()
            for _ in 0..<40 { try await bob.waitForMessage() }
            for _ in 0..<40 { try await alice.waitForDelivery() }
        }
        let texts = try await bob.account.store.messages(with: alice.address).map(\.text)
        #expect(texts.sorted() == (0..<40).map { "\($0)" }.sorted())
        #expect(
            try await states(alice, with: bob.address) == Array(repeating: .delivered, count: 40)
        )
        try await end(alice, bob)
    }

    @Test func `send what waits less and less often`() {
        let pause = Duration.seconds(900)
        let due = (0..<96).filter {
            RelayAccount.isDue(after: pause * $0 + .seconds(1), each: pause)
        }
        #expect(due == [1, 2, 4, 8, 16, 32, 64])
    }

    /// As on a machine that learns the time from others, and has written a message before.
    @Test func `send what waits again also after the wall's clock was set back`() async throws {
        let alice = try await user("alice")
        try await alice.account.add(Person.bob)
        try await clock.run { try await alice.account.start() }
        let future = WallTime(
            millisecondsSince1970: WallTime.now.millisecondsSince1970 + 86_400_000
        )
        let store = alice.account.store
        _ = try await store.addOutgoing("Hi", id: 1, to: Person.bob.address, at: future)
        // It is found, and a pause later sent; deleting old messages sleeps, too.
        for _ in 0..<2 {
            await clock.waitForSleeper(
                for: Duration.seconds(600)...Duration.seconds(900),
                count: 2
            )
            await clock.advance(by: .seconds(900))
        }
        while await alice.account.node.counters.originated == 0 { await Task.yield() }
        try await end(alice)
    }

    @Test func `delete what is older than it may be also while they run`() async throws {
        var limits = RelayStoreLimits()
        limits.messageAge = .seconds(3_600)
        let folder = try #require(folders["alice"])
        let store = try await folder.open(limits)
        try await store.setAddress(try RelayAddress("alice#1234"))
        try await store.add(Person.bob)
        let account = try await RelayAccount(
            store: store,
            radio: await air.radio("alice"),
            clock: clock
        )
        try await clock.run { try await account.start() }
        let past = WallTime(
            millisecondsSince1970: WallTime.now.millisecondsSince1970 - 3_601_000
        )
        let bob = Person.bob.address
        _ = try await store.addOutgoing("old", id: 1, to: bob, at: past)
        _ = try await store.addOutgoing("new", id: 2, to: bob)
        // It also looks for what is to be sent again.
        await clock.waitForSleeper(for: Duration.seconds(600)...Duration.seconds(900), count: 2)
        await clock.advance(by: .seconds(900))
        while try await store.messages(with: bob).count > 1 { await Task.yield() }
        #expect(try await store.messages(with: bob).map(\.text) == ["new"])
        try await clock.run { await account.stop() }
        await store.close()
    }

    /// As versions before took one, and each start failed.
    @Test func `start with a contact who has their own address, and pass it over`() async throws {
        let store = try await TemporaryFolder().open()
        let address = try RelayAddress("alice#1234")
        try await store.add(RelayLink(address: address, key: RelayIdentity().key))
        try await store.add(Person.bob)
        try await store.setAddress(address)
        let radio = await air.radio("alice")
        let account = try await RelayAccount(store: store, radio: radio, clock: clock)
        #expect(await account.node.contacts == [Person.bob])
        await store.close()
    }

    @Test func `need an address`() async throws {
        let store = try await TemporaryFolder().open()
        let radio = await air.radio("nobody")
        let error = await #expect(throws: RelayError.self) {
            try await RelayAccount(store: store, radio: radio, clock: clock)
        }
        #expect(error?.code == .invalidAddress)
        await store.close()
    }
}
