import BlueChat
import Testing

@testable import BlueChatStore

/// What the pages of documentation show.
@Suite("Examples", .timeLimit(.minutes(10)))
struct DocumentationExamples {
    @Test func `of a store and its export`() async throws {
        let folder = TemporaryFolder()
        var printed: [String] = []
        let store = try await ChatStore.open(at: "\(folder.path)/chat/chat.db")
        try await store.addFriend(bob, toldName: "Bob", state: .confirmed)
        _ = try await store.add(NewMessage(text: "Hi 👋"), to: bob)
        for message in try await store.waitingMessages(for: bob) { printed.append(message.text) }
        for try await line in store.export() { printed.append(line) }
        await store.close()
        #expect(printed.count == 3)
        #expect(printed.first == "Hi 👋")
    }

    @Test func `of changes`() async throws {
        let folder = TemporaryFolder()
        let store = try await ChatStore.open(at: folder.store)
        let changes = await store.changes
        try await store.addFriends()
        let added = try await store.receive("Hi")
        await store.close()
        var shown: [MessageID] = []
        for await change in changes {
            switch change {
            case .messageAdded(let id, with: bob): shown.append(id)
            case .keyChanged, .reload: Issue.record("\(change)")
            default: break
            }
        }
        #expect(shown == added)
    }
}
