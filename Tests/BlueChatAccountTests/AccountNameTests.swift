import BlueChat
import BlueChatStore
import Testing

@testable import BlueChatAccount

@Suite("A friend's name in an account", .timeLimit(.minutes(10)))
struct AccountNameTests {
    private let scene = AccountScene()

    /// Two who have started.
    private func pair() async throws -> (ChatAccount, ChatAccount) {
        let (alice, bob) = (try await scene.open("Alice"), try await scene.open("Bob"))
        for account in [alice, bob] { try await account.start() }
        return (alice, bob)
    }

    @Test func `means the friend by a name, and nobody who comes with it later`() async throws {
        let (alice, bob) = try await pair()
        let bobs = try await scene.call("Bob", from: alice)
        try await alice.send("1", to: bobs)
        try await scene.expect(["1"], with: "Alice", at: bob)
        let alices = try #require(try await scene.person("Alice", of: bob).friend?.id)
        try await bob.send("2", to: alices)
        try await scene.wait(for: alice) {
            try await alice.store.friend(bobs)?.state == .confirmed
        }
        try await scene.close(bob)
        let impostor = try await scene.open("Bob", as: "Mallory")
        try await impostor.start()
        let mallorys = FriendID.key(impostor.messenger.key)
        try await impostor.send("Hi", to: try await scene.call("Alice", from: impostor))
        try await scene.wait(for: alice) {
            // The friend is not seen any more, who asks is, and has spoken last.
            let people = try await alice.people()
            let (friend, other) = (
                people.first { $0.friend?.id == bobs }, people.first { $0.friend?.id == mallorys }
            )
            return friend?.nearby == nil && friend?.isChatting == false && other?.last != nil
        }
        #expect(try await alice.friend(named: "Bob")?.id == bobs)
        do {
            _ = try await scene.pass {
                try await alice.find(named: "Bob", within: .seconds(1))
            }
            Issue.record("somebody else was found")
        } catch let error as ChatError {
            #expect(error.code == .notFound)
        }
        // By the key who asks can be answered.
        let digits = String("\(impostor.messenger.key)".prefix(8))
        let found = try await scene.pass { try await alice.find(named: digits) }
        #expect(found.friend?.id == mallorys)
        try await scene.close(alice, impostor)
    }

    @Test func `keeps a friend's name from who takes it in a chat`() async throws {
        let (alice, bob) = try await pair()
        let bobs = try await scene.call("Bob", from: alice)
        try await alice.store.setState(.confirmed, of: bobs)
        let mallory = try await scene.open("Mal")
        try await mallory.start()
        let person = try await scene.person("Mal", of: alice)
        let chat = try await scene.pass { try await alice.call(person.id) }
        for (name, expected) in [("Malory", "Malory"), ("Bob", "Malory")] {
            await alice.handle(ChatEvent.renamed(name, chat))
            #expect(try await alice.store.friend(alice.friend(of: chat))?.toldName == expected)
        }
        try await scene.close(alice, bob, mallory)
    }
}
