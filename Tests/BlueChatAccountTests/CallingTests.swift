import BLE
import BLETesting
import BlueChatStore
import Testing

@testable import BlueChat
@testable import BlueChatAccount

@Suite("Calls of an account", .timeLimit(.minutes(10)))
struct CallingTests {
    private let scene = AccountScene()

    @Test(arguments: [false, true])
    func `of the user's come one after the other`(isOriginal: Bool) async throws {
        let alice = try await scene.open("Alice", isOriginal: isOriginal)
        let bob = try await scene.open("Bob", isOriginal: isOriginal)
        for account in [alice, bob] { try await account.start() }
        let person = try await scene.person("Bob", of: alice)
        let chats = try await scene.pass {
            try await withThrowingTaskGroup(of: Chat.ID.self) { group in
                for _ in 0..<3 { group.addTask { try await alice.call(person.id).id } }
                var chats: Set<Chat.ID> = []
                for try await chat in group { chats.insert(chat) }
                return chats
            }
        }
        #expect(chats.count == 1)
        #expect(await alice.callTurns.count == 0)
        try await scene.close(alice, bob)
    }
    @Test func `of the user's reach a stranger also when as many wait as may ask`() async throws {
        let alice = try await scene.open("Alice")
        let bob = try await scene.open("Bob")
        for number in 0..<StoreLimits.requestCount {
            let stranger = FriendID.address("S\(number)")
            try await alice.store.addFriend(stranger, toldName: "S", state: .requestReceived)
            _ = try await alice.store.add(NewMessage(text: "Hi"), from: stranger)
        }
        for account in [alice, bob] { try await account.start() }
        let friend = try await scene.call("Bob", from: alice)
        #expect(friend == .key(bob.messenger.key))
        #expect(try await alice.store.friend(friend)?.state == .requested)
        try await scene.close(alice, bob)
    }

    @Test func `of the user's make a chat go on that began for what waited`() async throws {
        let alice = try await scene.open("Alice")
        let bob = try await scene.open("Bob")
        let bobs = FriendID.key(bob.messenger.key)
        try await alice.store.addFriend(bobs, toldName: "Bob", state: .confirmed)
        try await alice.send("1", to: bobs)
        for account in [alice, bob] { try await account.start() }
        try await scene.expect(.delivered, with: "Bob", at: alice)
        // By the device, and not by the friend.
        let device = try #require(try await scene.person("Bob", of: alice).nearby)
        let chat = try await scene.pass { try await alice.call(.nearby(device.id)) }
        #expect(alice.friend(of: chat) == bobs)
        #expect(await alice.deliveries.isEmpty)
        try await scene.close(alice, bob)
    }

    @Test func `for what waits are over when it has stopped`() async throws {
        let (own, other) = (await scene.radio(of: "Alice"), await scene.radio(of: "Bob"))
        let alice = try await scene.open("Alice", on: own)
        let bob = try await scene.open("Bob", on: other)
        let bobs = FriendID.key(bob.messenger.key)
        try await alice.store.addFriend(bobs, toldName: "Bob", state: .confirmed)
        try await alice.send("1", to: bobs)
        // Nothing comes of the connection, and ending it takes long.
        await other.simulateReplies(false)
        await own.simulateDisconnecting(takes: .seconds(25))
        for account in [alice, bob] { try await account.start() }
        try await scene.pass { [clock = scene.clock] in
            await clock.waitForSleeper(for: Duration.seconds(20)...Duration.seconds(25))
        }
        try await scene.pass { await alice.stop() }
        #expect(await alice.messenger.calling == nil)
        try await scene.close(alice, bob)
    }

    /// Two programs of one device have a name, and a key each.
    @Test func `for what waits leave a chat alone that another program has`() async throws {
        let alice = try await scene.open("Alice")
        let bob = try await scene.open("Bob")
        for account in [alice, bob] { try await account.start() }
        let bobs = try await scene.call("Bob", from: alice)
        let chat = try #require(await alice.chats[bobs])
        let key = ChatIdentity().key
        let carols = FriendID.key(key)
        try await alice.store.addFriend(carols, toldName: "Carol", state: .confirmed)
        try await alice.send("1", to: carols)
        let events = await alice.events
        // Carol's program has called from the same device, and has left.
        let other = Chat(
            id: 0,
            peer: chat.peer,
            name: "Carol",
            origin: .incoming,
            key: key,
            messenger: alice.messenger
        )
        await alice.handle(ChatEvent.began(other))
        await alice.handle(ChatEvent.ended(other, nil))
        try await scene.pass {
            for await case .callFailed(carols, let error) in events where error.code == .notFound {
                break
            }
        }
        #expect(await chat.maximumByteCount != nil)
        try await scene.close(alice, bob)
    }

    @Test func `for what waits end a chat with whom they reach instead`() async throws {
        let alice = try await scene.open("Alice")
        let bob = try await scene.open("Bob")
        let bobs = FriendID.key(bob.messenger.key)
        // Another one of the name.
        let others = FriendID.key(ChatIdentity().key)
        try await alice.store.addFriend(others, toldName: "Bob", state: .confirmed)
        try await alice.store.addFriend(bobs, toldName: "Robert", state: .confirmed)
        for friend in [others, bobs] { try await alice.send("1", to: friend) }
        let events = await alice.events
        for account in [alice, bob] { try await account.start() }
        try await scene.pass {
            for await case .chat(.ended(let chat, let error)) in events {
                #expect(alice.friend(of: chat) == bobs && error == nil)
                break
            }
        }
        #expect(try await alice.store.waitingCounts() == [others: 1])
        try await scene.close(alice, bob)
    }
}
