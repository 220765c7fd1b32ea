import BLESQLite
import Foundation
import Testing

@testable import BlueChatStore

@Suite("Opening a store", .timeLimit(.minutes(10)))
struct OpeningTests {
    private static func permissions(of path: String) -> mode_t {
        var status = stat()
        guard stat(path, &status) == 0 else { return 0 }
        return status.st_mode & 0o777
    }

    /// A store of one friend and one message.
    private static func prepare(in folder: TemporaryFolder) async throws {
        let store = try await ChatStore.open(at: folder.store)
        try await store.addFriends()
        _ = try await store.receive("Hi")
        await store.close()
    }

    @Test func `makes files and folders that are for their owner alone`() async throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/a/b/chat.db"
        let store = try await ChatStore.open(at: path)
        try await store.addFriends()
        for file in [path, "\(path)-wal", "\(path)-lock"] {
            #expect(Self.permissions(of: file) == 0o600, "\(file)")
        }
        // SQLite shares no memory with other processes here.
        #expect(Self.permissions(of: "\(path)-shm") == 0)
        #expect(Self.permissions(of: "\(folder.path)/a") == 0o700)
        #expect(Self.permissions(of: "\(folder.path)/a/b") == 0o700)
        await store.close()
        #expect(Self.permissions(of: "\(path)-wal") == 0)
    }

    @Test func `takes a store away from others' eyes`() async throws {
        let folder = TemporaryFolder()
        try await Self.prepare(in: folder)
        chmod(folder.store, 0o644)
        let store = try await ChatStore.open(at: folder.store)
        #expect(Self.permissions(of: folder.store) == 0o600)
        await store.close()
    }

    /// SQLite has it beside the file, and not beside the link.
    @Test func `takes the log of a file to which a link leads away, too`() async throws {
        let (folder, other) = (TemporaryFolder(), TemporaryFolder())
        try await Self.prepare(in: other)
        chmod(other.store, 0o644)
        #expect(symlink(other.store, folder.store) == 0)
        let store = try await ChatStore.open(at: folder.store)
        #expect(Self.permissions(of: other.store) == 0o600)
        #expect(Self.permissions(of: "\(other.store)-wal") == 0o600)
        await store.close()
    }

    @Test func `finds what was kept`() async throws {
        let folder = TemporaryFolder()
        try await Self.prepare(in: folder)
        let store = try await ChatStore.open(at: folder.store)
        #expect(try await store.messages(with: bob).messages.map(\.text) == ["Hi"])
        await store.close()
    }

    @Test func `is refused while another has it open, in this process, too`() async throws {
        let folder = TemporaryFolder()
        let first = try await ChatStore.open(at: folder.store)
        for _ in 0..<3 {
            #expect(try await refusal { _ = try await ChatStore.open(at: folder.store) } == .inUse)
        }
        try await first.addFriends()
        await first.close()
        let second = try await ChatStore.open(at: folder.store)
        #expect(try await second.friends().count == 2)
        await second.close()
    }

    @Test func `waits for no sqlite3 that has the file open`() async throws {
        let folder = TemporaryFolder()
        try await Self.prepare(in: folder)
        let other = try Database(path: folder.store)
        try other.run("BEGIN IMMEDIATE")
        #expect(try await refusal { _ = try await ChatStore.open(at: folder.store) } == .inUse)
        other.close()
        let store = try await ChatStore.open(at: folder.store)
        await store.close()
    }

    @Test(arguments: ["", "a\0b", "/proc/no/such/folder/chat.db", "/"])
    func `is refused for what is no path of a file`(path: String) async throws {
        let code = try await refusal { _ = try await ChatStore.open(at: path) }
        #expect(code != nil)
    }

    @Test func `is refused for a folder`() async throws {
        let folder = TemporaryFolder()
        let code = try await refusal { _ = try await ChatStore.open(at: folder.path) }
        #expect(code == .notAStore)
    }

    @Test func `may begin with an empty file`() async throws {
        let folder = TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: folder.store))
        let store = try await ChatStore.open(at: folder.store)
        try await store.addFriends()
        await store.close()
    }

    @Test func `can end without closing`() async throws {
        let folder = TemporaryFolder()
        do {
            let store = try await ChatStore.open(at: folder.store)
            try await store.addFriends()
        }
        // The last to let go of it may be its own thread.
        var code: ChatStoreError.Code? = .inUse
        while code == .inUse, !Task.isCancelled {
            code = try await refusal {
                let store = try await ChatStore.open(at: folder.store)
                #expect(try await store.friends().count == 2)
                await store.close()
            }
            await Task.yield()
        }
        #expect(code == nil)
    }

    @Test func `is over when it was closed`() async throws {
        let folder = TemporaryFolder()
        let store = try await ChatStore.open(at: folder.store)
        await store.close()
        await store.close()
        #expect(try await refusal { _ = try await store.friends() } == .closed)
        #expect(try await refusal { try await store.addFriends() } == .closed)
        #expect(try await refusal { try await store.verify() } == .closed)
        for await _ in await store.changes { Issue.record("a change of a closed store") }
    }
}
