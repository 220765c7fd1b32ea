internal import BLESQLite
internal import BLEStorage
public import MeshRelay

/// A user's secret, contacts and messages, in a folder of their own.
///
/// | file | what |
/// |---|---|
/// | relay.key | the user's secret, and the key of the messages; 0600 |
/// | relay.db, relay.db-wal | the contacts and the messages, their texts encrypted; 0600 |
/// | relay.db-lock | locked by the process that has the store |
///
/// What a call has returned from is on the disk, also after a kill or a loss of power; what it has thrown from has changed
/// nothing.
///
/// ```swift
/// let store = try await RelayStore.open(in: "/home/alice/.local/share/dim-relay")
/// if try await store.address() == nil { try await store.setAddress(address) }
/// try await store.add(try RelayLink("dim://bobby#5678//…"))
/// ```
///
/// Besides the errors that a function names, each may throw `StoreError` with `full`, `damaged`, `closed` and `failed`.
public actor RelayStore {
    /// The path of the folder.
    public nonisolated let folder: String
    /// Who the user is.
    public nonisolated let identity: RelayIdentity

    nonisolated let keys: RelayKeys
    nonisolated let limits: RelayStoreLimits
    private nonisolated let thread: StoreThread
    private var store: OpenStore?
    /// The contacts, by their addresses: there are few, and their addresses are encrypted in the database.
    var contactRows: [RelayAddress: ContactRow] = [:]
    var addedCount = 0

    /// The store's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    private init(
        _ folder: String,
        _ keys: RelayKeys,
        _ limits: RelayStoreLimits
    ) throws(StoreError) {
        self.folder = folder
        self.keys = keys
        self.limits = limits
        thread = try StoreThread(for: Self.kind)
        identity = keys.identity
    }

    /// Opens a store, and makes it, with a new secret, if there is none.
    ///
    /// - Parameters:
    ///   - folder: where it is. Folders that are missing are made, for their owner alone.
    ///   - limits: how much it keeps.
    /// - Returns: the store.
    /// - Throws: `StoreError`: `inUse`, `newer`, `damaged`, also when one of its files is missing, `notAStore`, `notPermitted`,
    ///   `full`, `invalid`.
    public static func open(
        in folder: String,
        limits: RelayStoreLimits = RelayStoreLimits()
    ) async throws -> RelayStore {
        let file = keyFile(in: folder)
        let bytes = try file.read()
        let keys = bytes.map { RelayKeys($0) } ?? RelayKeys()
        guard let keys else {
            throw StoreError(.damaged, "The key file \(file.path) is damaged, or no key file")
        }
        let store = try RelayStore(folder, keys, limits)
        try await store.start(isNew: bytes == nil)
        return store
    }

    /// Removes all files of a store, the keys first: without them nobody reads what a disk may still have of the others.
    ///
    /// Does nothing when there is no store.
    ///
    /// - Parameter folder: where it is.
    /// - Throws: `StoreError`: `inUse`, `notPermitted`, `failed`.
    public static func erase(in folder: String) throws {
        let file = StoreFile(path: "\(folder)/\(databaseName)", kind: kind)
        try file.remove { () throws(StoreError) in try keyFile(in: folder).erase() }
    }

    private static let kind = "relay's store"
    private static let databaseName = "relay.db"

    private static func keyFile(in folder: String) -> SecretFile {
        SecretFile(path: "\(folder)/relay.key", kind: "key file")
    }

    private func start(isNew: Bool) throws {
        let store = try OpenStore(
            StoreFile(path: "\(folder)/\(Self.databaseName)", kind: Self.kind),
            RelaySchema.newest,
            maximumByteCount: limits.byteCount
        )
        do {
            if isNew { try saveKeys(for: store) } else { try checkKeys() }
            self.store = store
            try readContacts()
            do {
                try trim(at: .now)
            } catch let error as StoreError where error.code == .full {
                // What is there can be read; an account that runs tries it again.
            }
        } catch {
            close()
            store.close()
            throw error
        }
    }

    /// Looks that the keys are those on the disk still: before this process had the lock, another one may have erased them.
    private func checkKeys() throws(StoreError) {
        guard try Self.keyFile(in: folder).read() == keys.bytes else {
            throw StoreError(.inUse, "Another program has just erased the \(Self.kind) \(folder)")
        }
    }

    /// Makes the key file of a new store.
    private func saveKeys(for store: OpenStore) throws {
        let file = Self.keyFile(in: folder)
        let isUsed = try store.read("look into the \(Self.kind)") {
            try $0.integer("SELECT EXISTS (SELECT 1 FROM profile)") != 0
                || $0.integer("SELECT EXISTS (SELECT 1 FROM contact)") != 0
        }
        // Since this process has the lock; before it had, another one may have made the store.
        guard try file.read() == nil else {
            throw StoreError(.inUse, "Another program has just made the \(Self.kind) \(folder)")
        }
        guard !isUsed else {
            throw StoreError(
                .damaged,
                "The key file \(file.path) is missing: without it the \(Self.kind) cannot be read"
            )
        }
        try file.write(keys.bytes)
    }

    /// Closes the files; another program can open them then.
    ///
    /// A second time this does nothing.
    public func close() {
        store?.close()
        store = nil
    }

    // MARK: - Who the user is

    /// Under what packets reach the user; `nil` until it was set.
    ///
    /// - Returns: the address.
    /// - Throws: `StoreError`.
    public func address() throws -> RelayAddress? {
        try read("read the address") { [keys] database in
            let bytes = try database.row("SELECT address FROM profile") { $0.bytes(at: 0) }
            return try bytes.map { try RelayAddress(try keys.open($0, for: "the address")) }
        }
    }

    /// Sets under what packets reach the user.
    ///
    /// Contacts who have the earlier address only don't reach the user any more.
    ///
    /// - Parameter address: the address.
    /// - Throws: `StoreError`.
    public func setAddress(_ address: RelayAddress) throws {
        try write("save the address") { [keys] database in
            try database.run(
                "INSERT OR REPLACE INTO profile (number, address) VALUES (1, ?)",
                [.bytes(keys.seal(address.text, for: "the address"))]
            )
        }
    }

    // MARK: - For the extensions

    func read<Output>(_ attempt: String, _ body: (Database) throws -> Output) throws -> Output {
        try opened(attempt).read("\(attempt) in the \(Self.kind)", body)
    }

    /// Changes the database: all that the function does, or nothing.
    func write<Output>(_ attempt: String, _ body: (Database) throws -> Output) throws -> Output {
        try opened(attempt).write("\(attempt) in the \(Self.kind)", body)
    }

    private func opened(_ attempt: String) throws(StoreError) -> OpenStore {
        guard let store else {
            throw StoreError(
                .closed,
                "Cannot \(attempt) in the \(Self.kind) (\(folder)): it has been closed"
            )
        }
        return store
    }
}
