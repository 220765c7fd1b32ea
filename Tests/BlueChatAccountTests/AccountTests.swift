import BLE
import BLETesting
import BlueChat
import BlueChatStore
import Testing

@testable import BlueChatAccount

@Suite("An account", .timeLimit(.minutes(10)))
struct AccountTests {
    private let scene = AccountScene()

    /// Two who have started.
    private func pair(isOriginal: Bool = false) async throws -> (ChatAccount, ChatAccount) {
        let alice = try await scene.open("Alice", isOriginal: isOriginal)
        let bob = try await scene.open("Bob", isOriginal: isOriginal)
        try await alice.start()
        try await bob.start()
        return (alice, bob)
    }

    @Test func `keeps what both say`() async throws {
        let (alice, bob) = try await pair()
        let bobs = try await scene.call("Bob", from: alice)
        try await alice.send("Hi 👋", to: bobs)
        try await scene.expect(["Hi 👋"], with: "Alice", at: bob)
        let alices = try #require(try await scene.person("Alice", of: bob).friend?.id)
        try await bob.send("Hello", to: alices)
        try await scene.expect(["Hi 👋", "Hello"], with: "Bob", at: alice)
        try await scene.expect(.delivered, with: "Alice", at: bob)
        #expect(try await scene.person("Bob", of: alice).unreadCount == 1)
        try await alice.markRead(with: bobs)
        try await scene.expect(.read, with: "Alice", at: bob)
        #expect(try await scene.person("Bob", of: alice).unreadCount == 0)
        try await scene.close(alice, bob)
    }

    @Test func `asks whom it calls, and is asked by callers`() async throws {
        let (alice, bob) = try await pair()
        let bobs = try await scene.call("Bob", from: alice)
        try await alice.send("Hi", to: bobs)
        try await scene.expect(["Hi"], with: "Alice", at: bob)
        #expect(try await scene.person("Bob", of: alice).friend?.state == .requested)
        let asking = try #require(try await scene.person("Alice", of: bob).friend)
        #expect(asking.state == .requestReceived)
        try await bob.send("Hi", to: asking.id)
        #expect(try await bob.store.friend(asking.id)?.state == .confirmed)
        try await scene.expect(["Hi", "Hi"], with: "Bob", at: alice)
        #expect(try await alice.store.friend(bobs)?.state == .confirmed)
        try await scene.close(alice, bob)
    }

    @Test func `delivers what waits when the friend is near again`() async throws {
        let (alice, first) = try await pair()
        let bobs = try await scene.call("Bob", from: alice)
        try await alice.send("1", to: bobs)
        try await scene.expect(["1"], with: "Alice", at: first)
        try await scene.close(first)
        try await scene.wait(for: alice) {
            try await alice.people().allSatisfy { !$0.isChatting }
        }
        for text in ["2", "3"] { try await alice.send(text, to: bobs) }
        #expect(try await scene.person("Bob", of: alice).waitingCount == 2)
        // Both programs end meanwhile.
        try await scene.close(alice)
        let again = try await scene.open("Alice")
        #expect(again.messenger.key == alice.messenger.key)
        try await again.start()
        let bob = try await scene.open("Bob")
        try await bob.start()
        try await scene.expect(["1", "2", "3"], with: "Alice", at: bob)
        try await scene.expect(.delivered, with: "Bob", at: again)
        #expect(try await again.store.waitingCounts().isEmpty)
        // The chat that began for it ends by itself.
        try await scene.wait(for: again) {
            try await again.people().allSatisfy { !$0.isChatting }
        }
        try await scene.close(again, bob)
    }

    /// A friend is not left alone for what was not their fault.
    @Test func `delivers what waits when its own Bluetooth is on again`() async throws {
        let radio = await scene.radio(of: "Alice")
        let alice = try await scene.open("Alice", on: radio)
        let bob = try await scene.open("Bob")
        for account in [alice, bob] { try await account.start() }
        let bobs = try await scene.call("Bob", from: alice)
        await radio.simulatePowerOff()
        try await scene.wait(for: alice) {
            try await alice.people().allSatisfy { !$0.isChatting }
        }
        try await alice.send("1", to: bobs)
        await alice.callWaiting()
        await radio.simulatePowerOn()
        let begin = scene.clock.now
        try await scene.expect(["1"], with: "Alice", at: bob)
        #expect(begin.duration(to: scene.clock.now) < ChatAccount.retryPause)
        try await scene.close(alice, bob)
    }

    @Test func `makes the user's call before those for what waits`() async throws {
        let alice = try await scene.open("Alice")
        var others: [ChatAccount] = []
        for name in ["Bob", "Carol", "Dave"] {
            let radio = await scene.radio(of: name)
            let other = try await scene.open(name, on: radio)
            try await other.start()
            others.append(other)
            guard name != "Bob" else { continue }
            // These cannot be connected to, which takes a while.
            await radio.simulateConnectionAttempts(.hang)
            let key = FriendID.key(other.messenger.key)
            try await alice.store.addFriend(key, toldName: name, state: .confirmed)
            try await alice.send("1", to: key)
        }
        let events = await alice.events
        try await alice.start()
        for await _ in events where await alice.calling != nil {
            if await alice.messenger.nearby.count == 3 { break }
        }
        let bob = try #require(try await alice.people().first { $0.name == "Bob" })
        let chat = try await scene.pass { try await alice.call(bob.id) }
        #expect(chat.key == others[0].messenger.key)
        // Who waits is called then.
        try await scene.pass {
            var isCalled: Set<FriendID> = []
            for await case .callFailed(let friend, _) in events {
                isCalled.insert(friend)
                if isCalled.count == 2 { break }
            }
        }
        try await scene.close(alice)
        for other in others { try await scene.close(other) }
    }

    @Test func `gives nobody else of that name what waits, and warns`() async throws {
        let (alice, bob) = try await pair()
        let bobs = try await scene.call("Bob", from: alice)
        try await alice.send("1", to: bobs)
        let alices = try #require(try await scene.person("Alice", of: bob).friend?.id)
        try await bob.send("I am Bob", to: alices)
        try await scene.expect(["1", "I am Bob"], with: "Bob", at: alice)
        try await scene.close(bob)
        try await scene.wait(for: alice) {
            try await alice.people().allSatisfy { !$0.isChatting }
        }
        try await alice.send("for Bob alone", to: bobs)
        let events = await alice.events
        let impostor = try await scene.open("Bob", as: "Mallory")
        try await impostor.start()
        // Until Bob's own device is not seen any more it is called.
        try await scene.pass {
            for await case .callFailed(bobs, let error) in events where error.code == .notFound {
                break
            }
        }
        #expect(try await scene.person("Alice", of: impostor).last == nil)
        let people = try await alice.people()
        #expect(people.count { $0.name == "Bob" } == 2)
        let other = try #require(people.first { $0.friend?.predecessor != nil }?.friend)
        #expect(other.predecessor == bobs && other.state == .requestReceived)
        #expect(try await alice.store.messages(with: bobs).messages.count == 3)
        #expect(try await alice.store.waitingCounts() == [bobs: 1])
        try await scene.close(alice, impostor)
    }

    @Test func `has no chat with whom it blocks`() async throws {
        let (alice, bob) = try await pair()
        let bobs = try await scene.call("Bob", from: alice)
        try await alice.send("Hi", to: bobs)
        try await scene.expect(["Hi"], with: "Alice", at: bob)
        let alices = try #require(try await scene.person("Alice", of: bob).friend?.id)
        try await scene.pass { try await bob.block(alices) }
        try await scene.wait(for: alice) {
            try await alice.people().allSatisfy { !$0.isChatting }
        }
        let events = await alice.events
        try await alice.send("Are you there?", to: bobs)
        try await scene.pass {
            for await case .chat(.ended(_, let error)) in events {
                #expect(error?.code == .refused)
                break
            }
        }
        try await scene.expect(["Hi"], with: "Alice", at: bob)
        #expect(try await alice.store.waitingCounts() == [bobs: 1])
        try await scene.close(alice, bob)
    }

    @Test func `changes and takes back what was said`() async throws {
        let (alice, bob) = try await pair()
        let bobs = try await scene.call("Bob", from: alice)
        let (one, two) = (
            try await alice.send("one", to: bobs).id, try await alice.send("two", to: bobs).id
        )
        try await scene.expect(["one", "two"], with: "Alice", at: bob)
        try await scene.expect(.delivered, with: "Bob", at: alice)
        try await alice.change(one, to: "ONE", with: bobs)
        try await alice.change(two, to: nil, with: bobs)
        #expect(try await AccountScene.texts("Alice", bob) == ["ONE", ""])
        #expect(try await AccountScene.texts("Bob", alice) == ["ONE", ""])
        // Nobody changes what the other one has said.
        let alices = try #require(try await scene.person("Alice", of: bob).friend?.id)
        await #expect(throws: ChatError.self) {
            try await bob.change(one, to: "mine", with: alices)
        }
        try await scene.close(alice, bob)
    }

    @Test func `changes what was said when the other end has, however late`() async throws {
        let radios = (await scene.radio(of: "Alice"), await scene.radio(of: "Bob"))
        let alice = try await scene.open("Alice", on: radios.0)
        let bob = try await scene.open("Bob", on: radios.1)
        for account in [alice, bob] { try await account.start() }
        let bobs = try await scene.call("Bob", from: alice)
        let id = try await scene.pass { try await alice.deliver("one", to: bobs) }.id
        var conditions = LinkConditions()
        conditions.latency = .seconds(10)...Duration.seconds(10)
        await scene.air.simulateConditions(conditions, from: radios.1, to: radios.0)
        do {
            try await scene.pass { try await alice.change(id, to: "ONE", with: bobs) }
            Issue.record("it was confirmed in time")
        } catch let error as ChatError {
            #expect(error.code == .timedOut)
        }
        try await scene.wait(for: bob) { try await AccountScene.texts("Alice", bob) == ["ONE"] }
        try await scene.wait(for: alice) {
            try await alice.store.message(id, with: bobs)?.text == "ONE"
        }
        #expect(try await alice.store.earlierTexts(of: id, with: bobs) == ["one"])
        #expect(await alice.changes.isEmpty)
        try await scene.close(alice, bob)
    }

    @Test func `changes nothing here that the other end may have`() async throws {
        let alice = try await scene.open("Alice")
        let key = ChatIdentity().key
        let bobs = FriendID.key(key)
        try await alice.store.addFriend(bobs, toldName: "Bob", state: .confirmed)
        let id = try await alice.send("one", to: bobs).id
        let error = await #expect(throws: ChatError.self) {
            try await alice.change(id, to: "", with: bobs)
        }
        #expect(error?.code == .empty)
        try await alice.change(id, to: "two", with: bobs)
        // A chat takes it, and ends before it is confirmed.
        #expect(try await alice.store.waitingMessages(for: key).map(\.content) == [.text("two")])
        for text in ["three", nil] {
            do {
                try await alice.change(id, to: text, with: bobs)
                Issue.record("it was changed")
            } catch let error as ChatError {
                #expect(error.code == .notConfirmed)
            }
        }
        #expect(try await alice.store.message(id, with: bobs)?.text == "two")
        try await scene.close(alice)
    }

    @Test func `forgets silent strangers that a killed program has left`() async throws {
        let alice = try await scene.open("Alice")
        let (silent, asking) = (
            FriendID.key(ChatIdentity().key), FriendID.key(ChatIdentity().key)
        )
        for stranger in [silent, asking] {
            try await alice.store.addFriend(stranger, toldName: "S", state: .requestReceived)
        }
        _ = try await alice.store.add(NewMessage(text: "Hi"), from: asking)
        try await alice.start()
        #expect(try await alice.store.friends().map(\.id) == [asking])
        try await scene.close(alice)
    }

    @Test func `sends files`() async throws {
        let (alice, bob) = try await pair()
        let bobs = try await scene.call("Bob", from: alice)
        let bytes = [UInt8](repeating: 7, count: 10_000)
        try await alice.send(try ChatFile(name: "a.bin", bytes: bytes), to: bobs)
        try await scene.expect([""], with: "Alice", at: bob)
        let received = try #require(try await scene.person("Alice", of: bob).last)
        #expect(received.file?.name == "a.bin")
        #expect(try await bob.store.file(of: received.id, with: received.friend) == bytes)
        try await scene.close(alice, bob)
    }

    @Test func `keeps texts of originals by their names`() async throws {
        let (alice, bob) = try await pair(isOriginal: true)
        let bobs = try await scene.call("Bob", from: alice)
        #expect(bobs == .address("Bob"))
        try await alice.send("Hi", to: bobs)
        try await scene.expect(.delivered, with: "Bob", at: alice)
        try await scene.expect(["Hi"], with: "Alice", at: bob)
        await #expect(throws: ChatError.self) {
            try await alice.send(try ChatFile(name: "a", bytes: [1]), to: bobs)
        }
        await #expect(throws: ChatError.self) {
            try await alice.send(String(repeating: "a", count: 200), to: bobs)
        }
        try await scene.pass { await alice.leave(bobs) }
        // It goes in the next chat.
        try await alice.send("later", to: bobs)
        #expect(try await scene.person("Bob", of: alice).waitingCount == 1)
        _ = try await scene.call("Bob", from: alice)
        try await scene.expect(.delivered, with: "Bob", at: alice)
        try await scene.expect(["Hi", "later"], with: "Alice", at: bob)
        try await scene.close(alice, bob)
    }

    @Test func `knows an original as soon as it was called`() async throws {
        for _ in 0..<20 {
            let scene = AccountScene()
            let alice = try await scene.open("Alice", isOriginal: true)
            let bob = try await scene.open("Bob", isOriginal: true)
            try await alice.start()
            try await bob.start()
            let person = try await scene.person("Bob", of: alice)
            let chat = try await scene.pass { try await alice.call(person.id) }
            #expect(try await alice.store.friend(alice.friend(of: chat))?.state == .confirmed)
            try await scene.close(alice, bob)
        }
    }

    @Test func `says when a text has arrived, and why not`() async throws {
        let (alice, bob) = try await pair()
        let person = try await scene.pass { try await alice.find(named: "Bob") }
        #expect(person.friend == nil)
        let chat = try await scene.pass { try await alice.call(person.id) }
        let bobs = alice.friend(of: chat)
        let message = try await scene.pass { try await alice.deliver("Hi", to: bobs) }
        #expect(message.state == .delivered)
        let file = try ChatFile(name: "a", bytes: [1])
        #expect(try await scene.pass { try await alice.deliver(file, to: bobs) }.file != nil)
        // By the beginning of the key, too.
        let digits = String("\(bob.messenger.key)".prefix(10))
        #expect(try await alice.friend(named: digits)?.id == bobs)
        #expect(try await scene.pass { try await alice.find(named: digits) }.friend?.id == bobs)
        #expect(try await alice.friend(named: "Carol") == nil)
        do {
            _ = try await scene.pass {
                try await alice.find(named: "Carol", within: .seconds(1))
            }
            Issue.record("Carol was found")
        } catch let error as ChatError {
            #expect(error.code == .notFound && error.message.contains("nearby: 'Bob'"))
        }
        // The other end leaves before it has the text.
        let alices = try #require(try await scene.person("Alice", of: bob).friend?.id)
        try await scene.pass { await bob.leave(alices) }
        try await scene.wait(for: alice) {
            try await alice.people().allSatisfy { !$0.isChatting }
        }
        try await scene.close(bob)
        do {
            _ = try await scene.pass {
                try await alice.deliver("late", to: bobs, within: .seconds(1))
            }
            Issue.record("it has arrived")
        } catch let error as ChatError {
            #expect(error.code == .timedOut && error.message.contains("it waits"))
        }
        #expect(try await alice.store.waitingCounts() == [bobs: 1])
        try await scene.close(alice)
    }

    @Test func `marks all as read, however many there are`() async throws {
        let account = try await scene.open("Alice")
        let bobs = FriendID.address("Bob")
        try await account.store.addFriend(bobs, toldName: "Bob", state: .confirmed)
        for number in 0...StoreLimits.readCount {
            _ = try await account.store.add(NewMessage(text: "\(number)"), from: bobs)
        }
        try await account.markRead(with: bobs)
        #expect(try await account.store.unreadCount(of: bobs) == 0)
        try await scene.close(account)
    }

    @Test func `has no name unless one was given once`() async throws {
        let radio = await scene.air.radio("R")
        let account = try await scene.open("Alice")
        await account.store.close()
        let store = try await ChatStore.open(at: account.store.path)
        let again = try await ChatAccount(store: store, radio: radio)
        #expect(again.messenger.name.text == "Alice")
        #expect(again.messenger.key == account.messenger.key)
        await store.close()
        let empty = try await ChatStore.open(at: account.store.path + "-new")
        await #expect(throws: ChatError.self) { try await ChatAccount(store: empty, radio: radio) }
        await empty.close()
    }
}
