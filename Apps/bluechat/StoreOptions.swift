import ArgumentParser
public import BlueChatStore
import Glibc
public import RadioCLI

/// Where friends and messages are kept.
struct StoreOptions: ParsableArguments {
    @Option(
        help: "The folder with your key, friends and messages. (default: a temporary one)"
    )
    var store: String?

    /// The folder of the full-screen chat.
    static var standardFolder: String { DataFolder.standard(for: "bluechat") }

    /// Opens the store, uses it and closes it.
    ///
    /// - Parameters:
    ///   - folder: where it is when no folder was named; `nil` for a temporary one.
    ///   - use: what to do with it.
    /// - Throws: `ChatStoreError` when it cannot be opened; what its use throws.
    func withStore(
        in folder: String? = nil,
        _ use: (ChatStore) async throws -> Void
    ) async throws {
        guard let path = store ?? folder else { return try await withTemporaryStore(use) }
        try await Self.withStore(at: path, use)
    }

    private static func withStore(
        at folder: String,
        _ use: (ChatStore) async throws -> Void
    ) async throws {
        let store = try await ChatStore.open(at: "\(folder)/chat.db")
        let result: Result<Void, any Error>
        do {
            result = .success(try await use(store))
        } catch {
            result = .failure(error)
        }
        await store.close()
        try result.get()
    }

    private func withTemporaryStore(_ use: (ChatStore) async throws -> Void) async throws {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/bluechat-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw ChatStoreError(
                .notPermitted,
                "Cannot make a folder in \(parent): \(String(cString: strerror(errno)))"
            )
        }
        let folder = template.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
        defer {
            for suffix in ["", "-wal", "-lock"] { unlink("\(folder)/chat.db\(suffix)") }
            rmdir(folder)
        }
        try await Self.withStore(at: folder, use)
    }
}

extension ChatStoreError: CommandFailure {
    /// Wrong data, not found, unavailable, worth another try, or our own fault.
    public var exitStatus: ExitStatus {
        switch code {
        case .tooLong, .invalid, .damaged, .newer, .notAStore: .data
        case .noSuchFriend, .noSuchMessage: .notFound
        case .inUse, .limitReached: .temporary
        case .full: .cannotCreate
        case .notPermitted: .unavailable
        case .blocked, .friendExists, .notTheAuthor, .deleted: .usage
        default: .software
        }
    }

    /// The name of the code, such as `inUse`.
    public var codeName: String { "\(code)" }

    /// What somebody at the shell can do.
    public var remedy: String? {
        switch code {
        case .inUse: "end the other bluechat, or name another folder with --store"
        default: exitStatus.remedy
        }
    }
}
