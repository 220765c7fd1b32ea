import BLESQLite
import Foundation
import Testing

@testable import BlueChatStore

@Suite("A file that is not taken", .timeLimit(.minutes(10)))
struct RefusedFileTests {
    private static func prepare(in folder: TemporaryFolder, messageCount: Int = 1) async throws {
        let store = try await ChatStore.open(at: folder.store)
        try await store.addFriends()
        for number in 0..<messageCount { _ = try await store.receive("Hi \(number)") }
        await store.close()
    }

    private static func change(_ path: String, _ body: (inout Data) -> Void) throws {
        var data = try Data(contentsOf: URL(fileURLWithPath: path))
        body(&data)
        try data.write(to: URL(fileURLWithPath: path))
    }

    private static func message(of body: () async throws -> Void) async throws -> String {
        do {
            try await body()
            return "no error"
        } catch let error as ChatStoreError {
            return "\(error)"
        }
    }

    @Test func `is one of a newer version, which stays as it was`() async throws {
        let folder = TemporaryFolder()
        try await Self.prepare(in: folder)
        let newer = try Database(path: folder.store)
        // The change stays in the log, as after a kill.
        try newer.run("PRAGMA user_version = 99")
        newer.close()
        let before = try folder.contents()
        #expect(before.count == 2 || before.count == 3)
        let message = try await Self.message { _ = try await ChatStore.open(at: folder.store) }
        #expect(
            message == "Cannot open the chat store \(folder.store): a newer version of this "
                + "program wrote it (format 99, this one knows 2). It was not changed."
        )
        #expect(try await refusal { _ = try await ChatStore.open(at: folder.store) } == .newer)
        #expect(try folder.contents() == before)
    }

    @Test func `is another program's database`() async throws {
        let folder = TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: folder.store))
        let other = try Database(path: folder.store)
        try other.run("CREATE TABLE things (thing TEXT)")
        other.close()
        let before = try folder.contents()
        #expect(try await refusal { _ = try await ChatStore.open(at: folder.store) } == .notAStore)
        #expect(try folder.contents() == before)
    }

    @Test(arguments: ["text", "header", "truncated", "schema"])
    func `is damaged, and stays as it was`(damage: String) async throws {
        let folder = TemporaryFolder()
        try await Self.prepare(in: folder)
        try Self.change(folder.store) { data in
            switch damage {
            case "text": data = Data("This is no database, but a letter.".utf8)
            case "header": data.replaceSubrange(0..<100, with: Data(repeating: 0xA5, count: 100))
            case "truncated": data = data.prefix(data.count / 2)
            default: data.replaceSubrange(100..<300, with: Data(repeating: 0xFF, count: 200))
            }
        }
        let before = try folder.contents()
        #expect(try await refusal { _ = try await ChatStore.open(at: folder.store) } == .damaged)
        #expect(try folder.contents() == before)
        let message = try await Self.message { _ = try await ChatStore.open(at: folder.store) }
        #expect(
            message.hasPrefix("Cannot open the chat store (\(folder.store)): the file is damaged")
        )
    }

    @Test func `is found to be damaged when it is read, and is not written any more`() async throws
    {
        let folder = TemporaryFolder()
        try await Self.prepare(in: folder, messageCount: 200)
        let size = try Database(path: folder.store).integer("PRAGMA page_size")
        let pages = try Database(path: folder.store)
            .rows("SELECT rootpage FROM sqlite_schema WHERE name = 'message'") { $0.integer(at: 0) }
        let page = try #require(pages.first)
        try Self.change(folder.store) { data in
            let start = Int((page - 1) * size)
            data.replaceSubrange(start..<start + 100, with: Data(repeating: 0xFF, count: 100))
        }
        // SQLite has made its own files meanwhile.
        let before = try folder.contents()["chat.db"]
        let code = try await refusal {
            let store = try await ChatStore.open(at: folder.store)
            #expect(try await refusal { try await store.verify() } == .damaged)
            #expect(try await refusal { _ = try await store.receive("Hi") } == .damaged)
            #expect(try await refusal { try await store.rename(bob, to: "B") } == .damaged)
            #expect(try await store.friends().count == 2)
            await store.close()
        }
        #expect(code == nil)
        #expect(try folder.contents()["chat.db"] == before)
    }

    @Test func `has a format that no version wrote`() async throws {
        let folder = TemporaryFolder()
        try await Self.prepare(in: folder)
        try Database(path: folder.store).run("PRAGMA user_version = -1")
        let code = try await refusal { _ = try await ChatStore.open(at: folder.store) }
        #expect(code == .damaged)
    }

    /// Only root may mount one.
    @Test func `is on a file system that is read-only`() async throws {
        let mountPoint = TemporaryFolder()
        guard mount("tmpfs", mountPoint.path, "tmpfs", UInt(MS_RDONLY), "size=2m") == 0 else {
            return
        }
        // A child that another test is just starting may have a file of it open.
        defer { umount2(mountPoint.path, Int32(MNT_DETACH)) }
        let code = try await refusal { _ = try await ChatStore.open(at: mountPoint.store) }
        #expect(code == .notPermitted)
    }

    @Test func `is read-only`() async throws {
        let folder = TemporaryFolder()
        try await Self.prepare(in: folder)
        // Root may write everything but what a mount forbids.
        guard getuid() != 0 else { return }
        chmod(folder.store, 0o400)
        let code = try await refusal { _ = try await ChatStore.open(at: folder.store) }
        #expect(code == .notPermitted)
    }
}
