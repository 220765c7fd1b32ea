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
        #expect(try Self.version(of: folder) == 3)
        #expect(try await refusal { _ = try await ChatStore.open(at: folder.store) } == .newer)
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
        #expect(try Self.version(of: folder) == 2)
        let store = try await ChatStore.open(
            at: folder.store,
            migrations: Array(migrations.dropLast())
        )
        #expect(try await store.messages(with: bob).messages.map(\.text) == ["Hi"])
        await store.close()
    }
}
