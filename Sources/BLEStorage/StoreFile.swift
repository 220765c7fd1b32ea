internal import Glibc

/// A store's files: the database, its log, and the lock that says which process has it.
///
/// | file | what |
/// |---|---|
/// | PATH | the database |
/// | PATH-wal | what was committed since the log was last written into the database |
/// | PATH-lock | locked by the process that has the store, with its number; stays when it ends |
///
/// All are for their owner alone (0600), and so are folders that are made for them (0700).
package struct StoreFile {
    package let path: String
    /// What the store is, for errors: "chat store".
    package let kind: String

    /// - Parameters:
    ///   - path: that of the database.
    ///   - kind: what the store is, for errors: "chat store".
    package init(path: String, kind: String) {
        self.path = path
        self.kind = kind
    }

    /// Creates what is missing.
    func create() throws(StoreError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw StoreError(.invalid, "Cannot open a \(kind): “\(path)” is no path")
        }
        try makeFolders()
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            let code = errno
            guard code == EEXIST else { throw failure("make the file", code) }
            return try checkKind()
        }
        // Closed before SQLite opens it: closing a file drops this process's locks of it.
        defer { close(file) }
        guard fchmod(file, 0o600) == 0 else { throw failure("make the file", errno) }
        guard syncFolder(of: path) == 0 else { throw failure("write the folder", errno) }
    }

    private func makeFolders() throws(StoreError) {
        let wanted = folder(of: path)
        var made = wanted.hasPrefix("/") ? "/" : ""
        for name in wanted.split(separator: "/") {
            made += name
            guard mkdir(made, 0o700) == 0 || errno == EEXIST else {
                throw failure("make the folder \(made)", errno)
            }
            made += "/"
        }
    }

    private func checkKind() throws(StoreError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw failure("look at the file", errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError(.notAStore, "Cannot open the \(kind) \(path): it is no file")
        }
    }

    /// Takes the files away from others' eyes, should they have been there before.
    func restrict() throws(StoreError) {
        for name in [path, logPath] {
            guard chmod(name, 0o600) == 0 || errno == ENOENT else {
                throw failure("keep the file from others", errno)
            }
        }
    }

    /// The file; of a link the one to which it leads.
    private var target: String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Where SQLite has the log: beside the file, and not beside a link to it.
    private var logPath: String { "\(target)-wal" }

    /// Whether there is a log.
    var hasLog: Bool { access(logPath, F_OK) == 0 }

    /// Removes the log that SQLite makes even for a file that is only looked at; not one with content.
    func removeEmptyLog() {
        var status = stat()
        guard stat(logPath, &status) == 0, status.st_size == 0 else { return }
        unlink(logPath)
    }

    /// Locks the store for this process.
    func lock() throws(StoreError) -> StoreLock {
        let descriptor = open("\(path)-lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("lock it", errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            let owner = Self.owner(of: descriptor)
            close(descriptor)
            guard code == EWOULDBLOCK else { throw failure("lock it", code) }
            throw StoreError(
                .inUse,
                "Cannot open the \(kind) \(path): another program has it open"
                    + (owner.map { ", process \($0)" } ?? "")
            )
        }
        return StoreLock(descriptor)
    }

    /// Removes all files, unless a process has the store.
    ///
    /// - Parameter body: what is done before.
    /// - Throws: ``StoreError``: ``StoreError/Code/inUse``, ``StoreError/Code/notPermitted``, ``StoreError/Code/failed``.
    package func remove(after body: () throws(StoreError) -> Void) throws(StoreError) {
        guard access(folder(of: path), F_OK) == 0 else { return }
        let lock = try lock()
        try body()
        let target = target
        for name in [target, "\(target)-wal", "\(target)-journal", path, "\(path)-lock"] {
            guard unlink(name) == 0 || errno == ENOENT else {
                throw failure("remove \(name)", errno)
            }
        }
        guard syncFolder(of: path) == 0 else { throw failure("write the folder", errno) }
        _ = consume lock
    }

    /// The number of the process that wrote it into the lock's file.
    private static func owner(of descriptor: Int32) -> Int? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? Int(String(decoding: bytes.prefix(count), as: UTF8.self)) : nil
    }

    private func failure(_ attempt: String, _ code: Int32) -> StoreError {
        StoreError(
            StoreError.Code(systemError: code),
            "Cannot open the \(kind) \(path): cannot \(attempt): \(systemMessage(code))"
        )
    }
}

/// The lock of a store, which ends with this value, or with its process.
struct StoreLock: ~Copyable {
    private let descriptor: Int32

    /// Takes a file that is locked, and writes into it who has it.
    fileprivate init(_ descriptor: Int32) {
        self.descriptor = descriptor
        // Only for the message that another process shows: on a full disk it says less.
        let owner = Array("\(getpid())".utf8)
        if ftruncate(descriptor, 0) == 0 { pwrite(descriptor, owner, owner.count, 0) }
    }

    deinit {
        // A child that is just being started has the file, too, and would keep the lock until it runs.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
