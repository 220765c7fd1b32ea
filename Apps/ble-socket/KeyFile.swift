import BLESocket
import Glibc
import RadioCLI

/// A file with this end's key: 64 hexadecimal digits, for nobody else to read.
struct KeyFile {
    let path: String

    /// The key in it; where there is no file, one is made.
    ///
    /// - Throws: ``SocketCommandFailure``.
    func identity() async throws -> SocketIdentity {
        if let identity = try make() { return identity }
        try checkMode()
        let bytes = try await ByteFile(path, O_RDONLY).read() ?? []
        let text = String(decoding: bytes, as: UTF8.self)
        // A secret looks like what is public.
        guard
            let secret = SocketPublicKey(String(text.prefix { !$0.isWhitespace })),
            let identity = SocketIdentity(secret.bytes)
        else {
            throw SocketCommandFailure(
                .data,
                "key",
                "\(path) is no key of 64 hexadecimal digits; 'ble-socket key' makes one where there is no file"
            )
        }
        return identity
    }

    /// Makes the file with a new key.
    ///
    /// - Returns: the key; `nil` when there is a file.
    private func make() throws -> SocketIdentity? {
        let number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard number >= 0 else {
            guard errno == EEXIST else {
                throw SocketCommandFailure(
                    .cannotCreate,
                    "cannotCreate",
                    SystemFailure(path).description
                )
            }
            return nil
        }
        defer { close(number) }
        let identity = SocketIdentity()
        let text = Array("\(identity.bytes.hexadecimal)\n".utf8)
        guard write(number, text, text.count) == text.count else {
            let failure = SystemFailure(path)
            unlink(path)
            throw SocketCommandFailure(.cannotCreate, "cannotCreate", failure.description)
        }
        return identity
    }

    /// What is no file, a folder or a device, has no key, and others may need to read it.
    private func checkMode() throws {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_mode & 0o077 != 0
        else { return }
        throw SocketCommandFailure(
            .notPermitted,
            "key",
            "\(path) can be read by others; 'chmod 600 \(path)' if nobody has"
        )
    }
}
