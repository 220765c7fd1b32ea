import ArgumentParser
public import BlueChatStore
import Glibc
public import RadioCLI

/// Where friends and messages are kept.
struct StoreOptions: ParsableArguments {
    @Option(
        help: """
            The folder with your key, friends and messages. (default: \
            ~/.local/share/bluechat)
            """
    )
    var store: String?

    /// The folder that was named, or the user's own one.
    var folder: String { store ?? DataFolder.standard(for: "bluechat") }

    /// Opens the store, uses it and closes it.
    ///
    /// - Parameter use: what to do with it.
    /// - Throws: `ChatStoreError` when it cannot be opened, `inUse` when another program has it; what its use throws.
    func withStore(_ use: (ChatStore) async throws -> Void) async throws {
        try await Self.use(try await Self.open(in: folder), use)
    }

    /// Opens the store, uses it and closes it; while another program has the user's own one, a temporary one, and says so.
    ///
    /// - Parameters:
    ///   - console: where it is said.
    ///   - use: what to do with it, and whether it stays.
    /// - Throws: `ChatStoreError` when it cannot be opened; what its use throws.
    func withStoreOrTemporary(
        _ console: Console,
        _ use: (ChatStore, _ isKept: Bool) async throws -> Void
    ) async throws {
        let opened: ChatStore
        do {
            opened = try await Self.open(in: folder)
        } catch let error as ChatStoreError where error.code == .inUse && store == nil {
            let message = "\(error.message): nothing of this is kept"
            console.event(["event": "temporary", "message": .string(message)])
            console.progress(message)
            return try await withTemporaryStore { try await use($0, false) }
        }
        try await Self.use(opened) { try await use($0, true) }
    }

    private static func open(in folder: String) async throws -> ChatStore {
        try await ChatStore.open(at: "\(folder)/chat.db")
    }

    private static func use(
        _ store: ChatStore,
        _ use: (ChatStore) async throws -> Void
    ) async throws {
        let result: Result<Void, any Error>
        do {
            result = .success(try await use(store))
        } catch {
            result = .failure(error)
        }
        await store.close()
        try result.get()
    }

    /// Makes a store, uses it and deletes it.
    ///
    /// - Parameter use: what to do with it.
    /// - Throws: `ChatStoreError` when it cannot be made; what its use throws.
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
        try await Self.use(try await Self.open(in: folder), use)
    }
}

extension ChatStoreError: CommandFailure {
    /// Wrong data, not found, worth another try, not permitted, or our own fault.
    public var exitStatus: ExitStatus {
        switch code {
        case .tooLong, .invalid, .damaged, .newer, .notAStore: .data
        case .noSuchFriend, .noSuchMessage: .notFound
        case .inUse, .limitReached: .temporary
        case .full: .cannotCreate
        case .notPermitted: .notPermitted
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
