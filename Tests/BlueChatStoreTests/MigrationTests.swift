import BLESQLite
import Testing

@testable import BlueChatStore

@Suite("Migrations", .timeLimit(.minutes(10)))
struct MigrationTests {
    private static func prepare(in folder: TemporaryFolder) async throws {
        let store = try await ChatStore.open(at: folder.store)
        try await store.addFriends()
        _ = try await store.receive("Hi")
        await store.close()
    }

    private static func version(of folder: TemporaryFolder) throws -> Int64 {
        try Database(path: folder.store).integer("PRAGMA user_version")
    }

    @Test func `bring a store to the newest version, with what it holds`() async throws {
        let folder = TemporaryFolder()
        try await Self.prepare(in: folder)
        let migrations =
            Schema.migrations + [
                "ALTER TABLE friend ADD COLUMN color INTEGER NOT NULL DEFAULT 5",
                "CREATE TABLE draft (friend INTEGER PRIMARY KEY REFERENCES friend, text TEXT) STRICT",
            ]
        let store = try await ChatStore.open(at: folder.store, migrations: migrations)
        #expect(try await store.messages(with: bob).messages.map(\.text) == ["Hi"])
        try await store.verify()
        await store.close()
        #expect(try Self.version(of: folder) == Int64(migrations.count))
        #expect(try await refusal { _ = try await ChatStore.open(at: folder.store) } == .newer)
    }

    /// Nobody knows what a version has sent that did not note it.
    @Test func `leave what waited unchangeable, as it may have left`() async throws {
        let folder = TemporaryFolder()
        let first = Array(Schema.migrations.prefix(1))
        let old = try await ChatStore.open(at: folder.store, migrations: first)
        try await old.addFriends()
        let sent = try await old.add(NewMessage(text: "1"), to: carol).message.id
        // An original is sent what has another state then.
        let kept = try await old.add(NewMessage(text: "2"), to: bob).message.id
        await old.close()
        let store = try await ChatStore.open(at: folder.store)
        let new = try await store.add(NewMessage(text: "3"), to: carol).message.id
        #expect(try await store.changeUnsent(sent, to: "A", with: carol) == false)
        #expect(try await store.changeUnsent(kept, to: "B", with: bob))
        #expect(try await store.changeUnsent(new, to: "C", with: carol))
        #expect(try await store.messages(with: carol).messages.map(\.text) == ["1", "C"])
        try await store.verify()
        await store.close()
    }

    @Test func `are made wholly or not at all`() async throws {
        let folder = TemporaryFolder()
        try await Self.prepare(in: folder)
        let migrations =
            Schema.migrations + [
                "CREATE TABLE draft (text TEXT) STRICT",
                "DROP TABLE message; CREATE TABLE friend (name TEXT)",
            ]
        let code = try await refusal {
            _ = try await ChatStore.open(at: folder.store, migrations: migrations)
        }
        #expect(code == .failed)
        #expect(try Self.version(of: folder) == Int64(migrations.count - 1))
        let store = try await ChatStore.open(
            at: folder.store,
            migrations: Array(migrations.dropLast())
        )
        #expect(try await store.messages(with: bob).messages.map(\.text) == ["Hi"])
        await store.close()
    }
}
