internal import BLESQLite
internal import BLEStorage

/// The user's identity, friends and messages, in one file.
///
/// What a call has returned from is on the disk, also after a kill or a loss of power; what it has thrown
/// from has changed nothing. Calls are carried out one after the other, in order, on a thread of the
/// store's own.
///
/// ```swift
/// let store = try await ChatStore.open(at: "/home/alice/.local/share/chat/chat.db")
/// try await store.addFriend(bob, toldName: "Bob", state: .confirmed)
/// _ = try await store.add(NewMessage(text: "Hi 👋"), to: bob)
/// for message in try await store.waitingMessages(for: bob) { print(message.text) }
/// await store.close()
/// ```
///
/// Besides the errors that a function names, each may throw ``ChatStoreError/Code/full``,
/// ``ChatStoreError/Code/damaged``, ``ChatStoreError/Code/closed`` and ``ChatStoreError/Code/failed``.
public actor ChatStore {
    /// The path of the file.
    public nonisolated let path: String
    private nonisolated let thread: StoreThread
    private var store: OpenStore?
    var streams = ChangeStreams()

    /// The store's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    private init(path: String) throws(ChatStoreError) {
        self.path = path
        do {
            thread = try StoreThread(for: Self.kind)
        } catch {
            throw ChatStoreError(error)
        }
    }

    /// Opens a store, and makes it if there is none.
    ///
    /// Messages that were ``DeliveryState/sending`` when the store was last used are
    /// ``DeliveryState/waiting`` again, as nobody sends them any more; those for somebody without a key have
    /// failed, as they may have arrived, and would be shown twice.
    ///
    /// - Parameters:
    ///   - path: the path of the file. Beside it are PATH-wal and PATH-lock. Folders that are missing are made.
    ///   - maximumByteCount: how large the file may become.
    /// - Returns: the store.
    /// - Throws: ``ChatStoreError``: ``ChatStoreError/Code/inUse``, ``ChatStoreError/Code/newer``,
    ///   ``ChatStoreError/Code/damaged``, ``ChatStoreError/Code/notAStore``,
    ///   ``ChatStoreError/Code/notPermitted``, ``ChatStoreError/Code/full``,
    ///   ``ChatStoreError/Code/invalid``.
    public static func open(
        at path: String,
        maximumByteCount: Int = StoreLimits.storeByteCount
    ) async throws -> ChatStore {
        try await open(
            at: path,
            maximumByteCount: maximumByteCount,
            migrations: Schema.migrations
        )
    }

    /// Opens a store with other migrations than the program's.
    static func open(
        at path: String,
        maximumByteCount: Int = StoreLimits.storeByteCount,
        migrations: [String]
    ) async throws -> ChatStore {
        let store = try ChatStore(path: path)
        try await store.start(maximumByteCount: maximumByteCount, migrations: migrations)
        return store
    }

    private func start(
        maximumByteCount: Int,
        migrations: [String]
    ) throws(ChatStoreError) {
        do {
            store = try OpenStore(
                StoreFile(path: path, kind: Self.kind),
                Schema.chatStore(migrations),
                maximumByteCount: maximumByteCount
            )
        } catch {
            throw ChatStoreError(error)
        }
    }

    /// What errors call it.
    private static let kind = "chat store"

    /// Closes the file, and ends the streams of changes; another program can open it then.
    ///
    /// A second time this does nothing. A store that nobody has any more is closed, too.
    public func close() {
        store?.close()
        store = nil
        streams.end()
    }

    /// What changes from now on, in order; each access makes a stream for one consumer.
    ///
    /// Up to 256 changes wait for it; when there are more it gets ``StoreChange/reload`` for those. The
    /// stream ends when the store is closed.
    public var changes: AsyncStream<StoreChange> {
        store == nil ? AsyncStream { nil } : streams.add()
    }

    /// Looks for damage in the whole file, which takes as long as reading it.
    ///
    /// - Throws: ``ChatStoreError/Code/damaged``.
    public func verify() throws {
        try read("look through the chat store") { database in
            let finding = try database.row("PRAGMA quick_check(1)") { $0.text(at: 0) }
            guard let finding, finding != "ok" else { return }
            throw DatabaseError(.corrupt, finding, attempt: "quick_check")
        }
        try write("look through the index of the chat store") { database in
            try database.run(
                "INSERT INTO message_text (message_text, rank) VALUES ('integrity-check', 1)"
            )
        }
    }

    // MARK: - For the extensions

    /// Reads from the database; a ``ChatStoreError`` of the closure says only what came back.
    func read<Output>(
        _ attempt: String,
        _ body: (Database) throws -> Output
    ) throws(ChatStoreError) -> Output {
        try use(attempt) { store throws in try store.read(attempt, body) }
    }

    /// Changes the database: all that the closure does, or nothing.
    func write<Output>(
        _ attempt: String,
        _ body: (Database) throws -> Output
    ) throws(ChatStoreError) -> Output {
        try use(attempt) { store throws in try store.write(attempt, body) }
    }

    private func use<Output>(
        _ attempt: String,
        _ body: (OpenStore) throws -> Output
    ) throws(ChatStoreError) -> Output {
        guard let store else {
            throw ChatStoreError(.closed, "Cannot \(attempt) (\(path)): it has been closed")
        }
        do {
            return try body(store)
        } catch let error as ChatStoreError {
            throw ChatStoreError(error.code, "Cannot \(attempt) (\(path)): \(error.message)")
        } catch let error as StoreError {
            throw ChatStoreError(error)
        } catch {
            throw ChatStoreError(.failed, "Cannot \(attempt) (\(path)): \(error)")
        }
    }

    /// Fails unless a text has no more bytes than it may.
    func check(_ what: String, _ byteCount: Int, atMost limit: Int) throws(ChatStoreError) {
        guard byteCount > limit else { return }
        throw ChatStoreError(
            .tooLong,
            "\(what) has \(byteCount) bytes; a chat store (\(path)) takes \(limit)"
        )
    }
}
