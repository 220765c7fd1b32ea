import BlueChat
import Foundation
import Testing

@testable import BlueChatStore

@Suite("A full disk", .timeLimit(.minutes(10)))
struct FullDiskTests {
    /// Fills a store until it takes no more; all that was confirmed is there afterwards.
    private func fill(_ folder: TemporaryFolder, maximumByteCount: Int) async throws {
        var store = try await ChatStore.open(at: folder.store, maximumByteCount: maximumByteCount)
        try await store.addFriends()
        var confirmed: [MessageID] = []
        let text = String(repeating: "All work and no play. ", count: 500)
        var code: ChatStoreError.Code?
        while code == nil, confirmed.count < 10_000 {
            code = try await refusal { confirmed += try await store.receive(text) }
        }
        #expect(code == .full)
        #expect(try await refusal { _ = try await store.receive(text) } == .full)
        for _ in 0..<2 {
            var found: [MessageID] = []
            var page = try await store.messages(with: bob, after: nil, count: 100)
            found += page.messages.map(\.id)
            while page.hasMore {
                page = try await store.messages(with: bob, after: found.last, count: 100)
                found += page.messages.map(\.id)
            }
            #expect(found == confirmed)
            try await store.verify()
            await store.close()
            store = try await ChatStore.open(at: folder.store)
        }
        await store.close()
    }

    @Test func `is an error, and nothing is lost: a store as large as it may become`() async throws
    {
        let folder = TemporaryFolder()
        try await fill(folder, maximumByteCount: 1_000_000)
    }

    /// Only root may mount one.
    @Test func `is an error, and nothing is lost: a file system of 2 MB`() async throws {
        let mountPoint = TemporaryFolder()
        guard mount("tmpfs", mountPoint.path, "tmpfs", 0, "size=2m") == 0 else { return }
        defer { umount2(mountPoint.path, Int32(MNT_DETACH)) }
        let folder = TemporaryFolder(in: mountPoint.path)
        try await fill(folder, maximumByteCount: StoreLimits.storeByteCount)
    }

    /// There is a folder, and no byte in it.
    @Test func `has no room for a store`() async throws {
        let mountPoint = TemporaryFolder()
        guard mount("tmpfs", mountPoint.path, "tmpfs", 0, "size=8k") == 0 else { return }
        defer { umount2(mountPoint.path, Int32(MNT_DETACH)) }
        let code = try await refusal { _ = try await ChatStore.open(at: mountPoint.store) }
        #expect(code == .full)
    }

    @Test func `is one when SQLite's disk is: no room can be had again`() async throws {
        try await withStore(maximumByteCount: 400_000) { store in
            try await store.addFriends()
            let text = String(repeating: "a ", count: 8000)
            var last: [MessageID] = []
            var code: ChatStoreError.Code?
            while code == nil {
                code = try await refusal { last = try await store.receive(text) }
            }
            #expect(code == .full)
            try await store.removeHistory(with: bob)
            #expect(last.count == 1)
            _ = try await store.receive(text)
        }
    }
}
