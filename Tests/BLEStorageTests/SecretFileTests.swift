import Foundation
import Testing

@testable import BLEStorage

@Suite("A secret's file")
struct SecretFileTests {
    /// Gives a test a folder, which is removed after it.
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = "\(NSTemporaryDirectory())/secret-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: false
        )
        defer { _ = Result { try FileManager.default.removeItem(atPath: folder) } }
        try body(folder)
    }

    private func permissions(of path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test func `has what was written, for its owner alone`() throws {
        try withFolder { folder in
            let file = SecretFile(path: "\(folder)/key", kind: "key file")
            #expect(try file.read() == nil)
            try file.write([1, 2, 3])
            #expect(try file.read() == [1, 2, 3])
            #expect(permissions(of: file.path) == 0o600)
            try file.write([4])
            #expect(try file.read() == [4])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["key"])
        }
    }

    @Test func `is taken away from others' eyes`() throws {
        try withFolder { folder in
            let file = SecretFile(path: "\(folder)/key", kind: "key file")
            try file.write([1])
            chmod(file.path, 0o644)
            #expect(try file.read() == [1])
            #expect(permissions(of: file.path) == 0o600)
        }
    }

    @Test func `is written in place of what a killed program left behind`() throws {
        try withFolder { folder in
            let file = SecretFile(path: "\(folder)/key", kind: "key file")
            try Data([9]).write(to: URL(fileURLWithPath: "\(folder)/key-new"))
            #expect(try file.read() == nil)
            try file.write([1])
            #expect(try file.read() == [1])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["key"])
        }
    }

    @Test func `is erased, with what it had`() throws {
        try withFolder { folder in
            let file = SecretFile(path: "\(folder)/key", kind: "key file")
            try file.write([1, 2, 3])
            // Another name for the same bytes shows what becomes of them.
            let other = "\(folder)/other"
            #expect(link(file.path, other) == 0)
            try file.erase()
            #expect(try file.read() == nil)
            #expect(try Data(contentsOf: URL(fileURLWithPath: other)) == Data([0, 0, 0]))
            try file.erase()
        }
    }

    @Test func `is refused when it is none`() throws {
        try withFolder { folder in
            let large = SecretFile(path: "\(folder)/large", kind: "key file")
            try large.write([UInt8](repeating: 1, count: 4_097))
            let code = #expect(throws: StoreError.self) { try large.read() }?.code
            #expect(code == .damaged)
            let link = SecretFile(path: "\(folder)/link", kind: "key file")
            #expect(symlink("/etc/passwd", link.path) == 0)
            let refusal = #expect(throws: StoreError.self) { try link.read() }
            #expect(refusal?.code == .notPermitted)
            #expect(refusal?.message.hasPrefix("Cannot read the key file \(link.path): ") == true)
        }
    }

    @Test func `is not written where there is no folder`() throws {
        let file = SecretFile(path: "/nowhere/key", kind: "key file")
        let error = #expect(throws: StoreError.self) { try file.write([1]) }
        #expect(error?.code == .failed)
        #expect(error?.message.hasPrefix("Cannot make the key file /nowhere/key: ") == true)
    }
}

@Suite("A store's file")
struct StoreFileTests {
    @Test func `is called what it is when it cannot be made`() {
        let file = StoreFile(path: "/proc/nowhere/chat.db", kind: "chat store")
        let error = #expect(throws: StoreError.self) { try file.create() }
        #expect(
            error?.message.hasPrefix(
                "Cannot open the chat store /proc/nowhere/chat.db: cannot make the folder "
                    + "/proc/nowhere: "
            ) == true
        )
    }
}
