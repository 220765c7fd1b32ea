import BLE
import BLETesting
import BlueChatStore
import Testing

@testable import BlueChat
@testable import BlueChatAccount

@Suite("An account's originals", .timeLimit(.minutes(10)))
struct OriginalAccountTests {
    private static let bobs = FriendID.address("Bob")

    private let scene = AccountScene()

    /// Until somebody sees Bob, who is a friend by name.
    private func expectBob(at account: ChatAccount) async throws {
        try await scene.wait(for: account) {
            try await account.people().first { $0.name == "Bob" }?.nearby != nil
        }
    }

    private func state(_ id: MessageID, at account: ChatAccount) async throws -> DeliveryState? {
        try await account.store.message(id, with: Self.bobs)?.state
    }

    @Test func `are sent nothing twice when the program ends meanwhile`() async throws {
        let radio = await scene.radio(of: "Bob")
        let alice = try await scene.open("Alice", isOriginal: true)
        let bob = try await scene.open("Bob", isOriginal: true, on: radio)
        for account in [alice, bob] { try await account.start() }
        _ = try await scene.call("Bob", from: alice)
        await radio.simulateReplies(false)
        let events = await alice.events
        let once = try await alice.send("once", to: Self.bobs).id
        let later = try await alice.send("later", to: Self.bobs).id
        for await _ in events where try await state(once, at: alice) == .sending { break }
        try await scene.close(alice)
        let again = try await scene.open("Alice", isOriginal: true)
        guard case .failed? = try await state(once, at: again) else {
            Issue.record("it is sent once more")
            return
        }
        // What has not left waits on.
        #expect(try await state(later, at: again) == .waiting)
        try await scene.close(again, bob)
    }

    @Test func `are sent what could not leave when they say something more`() async throws {
        var configuration = MemoryRadio.Configuration()
        configuration.features = []
        let radio = await scene.air.radio("Alice's", configuration)
        let alice = try await scene.open("Alice", isOriginal: true, on: radio)
        let bob = try await scene.open("Bob", isOriginal: true)
        for account in [alice, bob] { try await account.start() }
        try await alice.store.addFriend(Self.bobs, toldName: "Bob", state: .confirmed)
        let id = try await alice.send("for Bob alone", to: Self.bobs).id
        try await expectBob(at: alice)
        // Somebody else is connected, who might be sent it.
        let other = await scene.air.radio("Stranger")
        for try await case .seen(let sighting) in try await other.scan(ScanFilter())
        where sighting.peer == radio.peer { break }
        let stranger = try await other.connect(to: radio.peer)
        let events = await alice.events
        let alices = try await scene.call("Alice", from: bob)
        try await bob.send("1", to: alices)
        try await scene.wait(for: alice) {
            try await alice.store.unreadCount(of: Self.bobs) == 1
        }
        await alice.sending[Self.bobs]?.value
        try #require(try await state(id, at: alice) == .waiting)
        for await case .postponed(id, Self.bobs, let error) in events
        where error.code == .notPrivate {
            break
        }
        await stranger.disconnect()
        while await !alice.messenger.callee.isPrivate { await Task.yield() }
        try await bob.send("2", to: alices)
        try await scene.expect(["1", "2", "for Bob alone"], with: "Alice", at: bob)
        try await scene.close(alice, bob)
    }

    @Test func `have been sent what nobody is known to have confirmed`() async throws {
        let radio = await scene.radio(of: "Bob")
        var timeouts = ChatTimeouts()
        // Longer than a system waits for the confirmation.
        timeouts.sending = .seconds(60)
        let alice = try await scene.open("Alice", isOriginal: true, timeouts: timeouts)
        let bob = try await scene.open("Bob", isOriginal: true, on: radio)
        for account in [alice, bob] { try await account.start() }
        try await expectBob(at: alice)
        _ = try await scene.call("Alice", from: bob)
        try await scene.wait(for: alice) { await alice.chats[Self.bobs] != nil }
        await radio.simulateConfirmations(false)
        let code = try await scene.pass { () -> ChatError.Code? in
            do {
                try await alice.deliver("Hi", to: Self.bobs, within: .seconds(60))
                return nil
            } catch let error as ChatError {
                return error.code
            }
        }
        #expect(code == .notConfirmed)
        let messages = try await alice.store.messages(with: Self.bobs).messages
        #expect(messages.map(\.state) == [.sent])
        await radio.simulateConfirmations(true)
        try await scene.close(alice, bob)
    }

    @Test func `are sent what comes after a text that is too long for them`() async throws {
        let alice = try await scene.open("Alice", isOriginal: true)
        let bob = try await scene.open("Bob", isOriginal: true)
        for account in [alice, bob] { try await account.start() }
        try await alice.store.addFriend(Self.bobs, toldName: "Bob", state: .confirmed)
        let long = try await alice.send(String(repeating: "a", count: 200), to: Self.bobs).id
        try await alice.send("short", to: Self.bobs)
        _ = try await scene.call("Bob", from: alice)
        try await scene.expect(.delivered, with: "Bob", at: alice)
        #expect(try await state(long, at: alice) == .failed("the text has 200 bytes; 182 fit"))
        try await scene.expect(["short"], with: "Alice", at: bob)
        try await scene.close(alice, bob)
    }

    @Test func `are known to have refused a text, and why`() async throws {
        let radio = await scene.radio(of: "Bob")
        let publication = try await radio.publish(
            ChatService.description(hasSessions: false),
            advertising: Advertisement(localName: "Bob", serviceUUIDs: [ChatService.uuid]),
            responder: RefusingResponder()
        )
        let alice = try await scene.open("Alice", isOriginal: true)
        try await alice.start()
        _ = try await scene.call("Bob", from: alice)
        let id = try await alice.send("Hi", to: Self.bobs).id
        let failed = DeliveryState.failed("sending a text to Bob failed: \(ATTError.busy)")
        try await scene.wait(for: alice) {
            let state = try await alice.store.message(id, with: Self.bobs)?.state
            return state != .waiting && state != .sending
        }
        #expect(try await state(id, at: alice) == failed)
        try await scene.close(alice)
        await publication.withdraw()
    }

    @Test func `are no friends when they answer a call for another of their name`() async throws {
        let alice = try await scene.open("Alice")
        let friend = FriendID.key(ChatIdentity().key)
        try await alice.store.addFriend(friend, toldName: "Bob", state: .confirmed)
        try await alice.send("for Bob alone", to: friend)
        let stranger = try await scene.open("Bob", isOriginal: true)
        let events = await alice.events
        for account in [alice, stranger] { try await account.start() }
        // The stranger is called, as somebody of the friend's name.
        let state = try await scene.pass {
            for await case .chat(.began(let chat)) in events {
                return try await alice.store.friend(alice.friend(of: chat))?.state
            }
            throw CancellationError()
        }
        #expect(state != .confirmed)
        try await scene.pass {
            for await case .chat(.ended) in events { break }
        }
        #expect(try await alice.store.friend(Self.bobs) == nil)
        #expect(try await alice.store.waitingCounts() == [friend: 1])
        try await scene.close(alice, stranger)
    }

    @Test func `are let in up to as many as may ask, and when the user calls`() async throws {
        let alice = try await scene.open("Alice", isOriginal: true)
        let bob = try await scene.open("Bob", isOriginal: true)
        for number in 0..<StoreLimits.requestCount {
            let stranger = FriendID.address("S\(number)")
            try await alice.store.addFriend(stranger, toldName: "S", state: .requestReceived)
            _ = try await alice.store.add(NewMessage(text: "Hi"), from: stranger)
        }
        for account in [alice, bob] { try await account.start() }
        let events = await alice.events
        let alices = try await scene.person("Alice", of: bob)
        // No time passes: the call goes through before its end.
        _ = try await bob.call(alices.id)
        let code = try await scene.pass {
            for await case .notKept(let error) in events { return error.code }
            throw CancellationError()
        }
        #expect(code == .limitReached)
        #expect(try await alice.store.friend(Self.bobs) == nil)
        for account in [alice, bob] {
            try await scene.wait(for: account) {
                guard await account.chats.isEmpty else { return false }
                return await account.messenger.chatting == nil
            }
        }
        #expect(try await scene.call("Bob", from: alice) == Self.bobs)
        #expect(try await alice.store.friend(Self.bobs)?.state == .confirmed)
        try await scene.close(alice, bob)
    }

    @Test func `are called what the user has named them, also in a chat that is on`() async throws {
        let alice = try await scene.open("Alice", isOriginal: true)
        let bob = try await scene.open("Bob", isOriginal: true)
        for account in [alice, bob] { try await account.start() }
        _ = try await scene.call("Bob", from: alice)
        let chat = try #require(await alice.chats[Self.bobs])
        #expect(try await alice.name(of: chat) == "Bob")
        try await alice.store.rename(Self.bobs, to: "Robert")
        #expect(try await alice.name(of: chat) == "Robert")
        #expect(alice.friend(of: chat) == Self.bobs)
        try await scene.close(alice, bob)
    }

    @Test func `are kept with what they said before the account was stopped`() async throws {
        let alice = try await scene.open("Alice", isOriginal: true)
        let bob = try await scene.open("Bob", isOriginal: true)
        for account in [alice, bob] { try await account.start() }
        let alices = try await scene.call("Alice", from: bob)
        try await scene.wait(for: alice) { await alice.chats[Self.bobs] != nil }
        // The end of the first chat is dealt with as long as this likes, and all that comes after it waits.
        let gate = Promise<Void>()
        await alice.holdEnd(of: Self.bobs, until: gate)
        try await scene.pass { await bob.leave(alices) }
        while await alice.sending[Self.bobs] != nil { await Task.yield() }
        try await scene.wait(for: bob) { await bob.chats.isEmpty }
        _ = try await scene.call("Alice", from: bob)
        _ = try await scene.pass { try await bob.deliver("late", to: alices) }
        try await scene.pass {
            async let stop: Void = alice.stop()
            while await alice.messenger.isReady { await Task.yield() }
            gate.fulfil()
            await stop
        }
        #expect(try await alice.store.messages(with: Self.bobs).messages.map(\.text) == ["late"])
        #expect(await alice.chats.isEmpty)
        try await scene.close(alice, bob)
    }

    @Test func `are not heard any more while they are blocked`() async throws {
        let (alices, bobs) = (await scene.radio(of: "Alice"), await scene.radio(of: "Bob"))
        let alice = try await scene.open("Alice", on: alices)
        try await alice.start()
        try await alice.store.addFriend(Self.bobs, toldName: "Bob", state: .blocked)
        let advertising = try await bobs.advertise(
            Advertisement(localName: "Bob", serviceUUIDs: [ChatService.uuid])
        )
        try await expectBob(at: alice)
        let events = await alice.events
        // A caller as the original, which does not end the connection when it is asked to.
        for try await case .seen(let sighting) in try await bobs.scan(ScanFilter())
        where sighting.peer == alices.peer { break }
        let link = try await bobs.connect(to: alices.peer)
        _ = try await link.discoverServices()
        try await link.subscribe(to: ChatService.toCaller)
        try await link.subscribe(to: ChatService.leaving)
        // No time passes: what is said of the chat does not wait for its end.
        for await case .chat(.began) in events { break }
        try await link.write(Array("Let me in".utf8), to: ChatService.toCallee)
        let ended = try await scene.pass {
            for await event in events {
                switch event {
                case .chat(.received), .notKept: return false
                case .chat(.ended): return true
                default: continue
                }
            }
            throw CancellationError()
        }
        #expect(ended, "somebody who is blocked was heard")
        #expect(try await alice.store.messages(with: Self.bobs).messages.isEmpty)
        await advertising.stop()
        try await scene.close(alice)
    }
}

/// A callee that takes no text.
private struct RefusingResponder: GATTResponder {
    func write(
        _ value: [UInt8],
        to characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) {
        throw .busy
    }
}

extension ChatAccount {
    /// Lets what comes after the end of a chat with an original wait.
    fileprivate func holdEnd(of friend: FriendID, until gate: Promise<Void>) {
        sending[friend] = Task {
            // Nobody cancels it once the end has come.
            _ = try? await gate.wait()
        }
    }
}
