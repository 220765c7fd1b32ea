internal import Glibc

/// A small file for its owner alone (0600), which is there whole or not at all.
package struct SecretFile {
    package let path: String
    /// What it is, for errors: "key file".
    private let kind: String
    private let maximumByteCount: Int

    /// - Parameters:
    ///   - path: where it is.
    ///   - kind: what it is, for errors: "key file".
    ///   - maximumByteCount: how large it may be.
    package init(path: String, kind: String, maximumByteCount: Int = 4_096) {
        self.path = path
        self.kind = kind
        self.maximumByteCount = maximumByteCount
    }

    /// What is in it.
    ///
    /// - Returns: `nil` when there is no such file.
    /// - Throws: ``StoreError``: ``StoreError/Code/notPermitted``, ``StoreError/Code/damaged`` for one that is too large,
    ///   ``StoreError/Code/failed``.
    package func read() throws(StoreError) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("read", errno)
        }
        defer { close(file) }
        // Should it have been open to others before.
        guard fchmod(file, 0o600) == 0 else { throw failure("keep others from", errno) }
        var bytes = [UInt8](repeating: 0, count: maximumByteCount + 1)
        var count = 0
        while count < bytes.count {
            let read = bytes.withUnsafeMutableBytes {
                Glibc.read(file, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw failure("read", errno) }
            if read == 0 { break }
            count += read
        }
        guard count <= maximumByteCount else {
            throw StoreError(
                .damaged,
                "The \(kind) \(path) is larger than \(maximumByteCount) bytes"
            )
        }
        return Array(bytes.prefix(count))
    }

    /// Puts something into it, in place of what was there.
    ///
    /// - Parameter bytes: all that is to be in it.
    /// - Throws: ``StoreError``: ``StoreError/Code/notPermitted``, ``StoreError/Code/full``, ``StoreError/Code/failed``; what
    ///   was there is unchanged.
    package func write(_ bytes: [UInt8]) throws(StoreError) {
        let draft = "\(path)-new"
        // Of a program that was killed.
        unlink(draft)
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("make", errno) }
        do {
            defer { close(file) }
            try write(bytes, to: file)
        } catch {
            unlink(draft)
            throw error
        }
        guard rename(draft, path) == 0 else {
            let code = errno
            unlink(draft)
            throw failure("make", code)
        }
        guard syncFolder(of: path) == 0 else { throw failure("write the folder of", errno) }
    }

    /// Writes zeros over it, as far as the file system does that in place, and removes it.
    ///
    /// Does nothing when there is no such file.
    ///
    /// - Throws: ``StoreError``: ``StoreError/Code/notPermitted``, ``StoreError/Code/failed``.
    package func erase() throws(StoreError) {
        unlink("\(path)-new")
        let file = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        if file < 0 {
            guard errno == ENOENT else { throw failure("erase", errno) }
            return
        }
        do {
            defer { close(file) }
            var status = stat()
            guard fstat(file, &status) == 0 else { throw failure("erase", errno) }
            let count = min(maximumByteCount, Int(status.st_size))
            try write([UInt8](repeating: 0, count: count), to: file)
        }
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("erase", errno) }
        guard syncFolder(of: path) == 0 else { throw failure("write the folder of", errno) }
    }

    private func write(_ bytes: [UInt8], to file: Int32) throws(StoreError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("write", errno) }
            rest = rest.dropFirst(count)
        }
        guard fsync(file) == 0 else { throw failure("write", errno) }
    }

    private func failure(_ attempt: String, _ code: Int32) -> StoreError {
        StoreError(
            StoreError.Code(systemError: code),
            "Cannot \(attempt) the \(kind) \(path): \(systemMessage(code))"
        )
    }
}
