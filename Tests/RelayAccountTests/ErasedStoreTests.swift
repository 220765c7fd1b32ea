import BLEStorage
import Dispatch
import Foundation
import Testing

@testable import RelayAccount

@Suite("A relay's store that is erased", .timeLimit(.minutes(10)))
struct ErasedStoreTests {
    private let folder = TemporaryFolder()

    /// The key file is a pipe, so that it is gone between the first look and the lock.
    @Test func `is not used with keys that are on no disk any more`() async throws {
        let path = "\(folder.path)/relay.key"
        #expect(mkdir(folder.path, 0o700) == 0)
        #expect(mkfifo(path, 0o600) == 0)
        let keys = RelayKeys().bytes
        DispatchQueue(label: "erases a store").async {
            // Waits for who reads.
            let pipe = open(path, O_WRONLY | O_CLOEXEC)
            _ = write(pipe, keys, keys.count)
            unlink(path)
            close(pipe)
        }
        let error = await #expect(throws: StoreError.self) {
            try await self.folder.open().close()
        }
        #expect(error?.code == .inUse)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!names.contains("relay.key"))
        try await folder.open().close()
    }

    @Test func `is gone also where a link leads to its file`() async throws {
        let other = TemporaryFolder()
        try await folder.open().close()
        #expect(mkdir(other.path, 0o700) == 0)
        let files = ["\(folder.path)/relay.db", "\(other.path)/relay.db"]
        #expect(rename(files[0], files[1]) == 0)
        #expect(symlink(files[1], files[0]) == 0)
        try await folder.open().close()
        try RelayStore.erase(in: folder.path)
        for path in [folder.path, other.path] {
            #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
        }
    }
}
