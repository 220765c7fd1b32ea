import BLE
import BLETesting
import BlueChat
import Testing

@testable import BlueChatAccount

@Suite("Calls of an account", .timeLimit(.minutes(2)))
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
}
