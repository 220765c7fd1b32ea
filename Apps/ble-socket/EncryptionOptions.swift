import ArgumentParser
import BLESocket
import Glibc
import RadioCLI

/// The options that say how a stream is encrypted.
struct EncryptionOptions: ParsableArguments {
    static let names = "--key, --peer-key, --passphrase-file and --insecure"

    @Option(
        help: ArgumentHelp(
            """
            This end's key, by which others know it; made when there is none. 'ble-socket key FILE' says what it is. \
            (default: one that is made for each stream)
            """,
            valueName: "file"
        )
    )
    var key: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Speak to nobody but who has this key; once for each, or with several behind it.",
            valueName: "key"
        ),
        transform: SocketPublicKey.init(argument:)
    )
    var peerKey: [SocketPublicKey] = []

    @Option(
        help: ArgumentHelp(
            "Speak to nobody but who has the passphrase in this file.",
            valueName: "file"
        )
    )
    var passphraseFile: String?

    @Flag(help: "Don't encrypt; the other end must not either.")
    var insecure = false

    /// Whether nothing was asked for.
    var isDefault: Bool {
        key == nil && peerKey.isEmpty && passphraseFile == nil && !insecure
    }

    func validate() throws {
        guard insecure, key != nil || !peerKey.isEmpty || passphraseFile != nil else { return }
        throw ValidationError(
            "--insecure does without --key, --peer-key and --passphrase-file"
        )
    }

    /// What was asked for; `nil` for no encryption.
    ///
    /// - Throws: ``SocketCommandFailure`` when a key or a passphrase cannot be read, or is none.
    func encryption() async throws -> SocketEncryption? {
        guard !insecure else { return nil }
        return SocketEncryption(
            identity: try await Self.identity(in: key),
            peers: Set(peerKey),
            passphrase: try await Self.passphrase(in: passphraseFile)
        )
    }

    private static func identity(in path: String?) async throws -> SocketIdentity? {
        guard let path else { return nil }
        return try await KeyFile(path: path).identity()
    }

    private static func passphrase(in path: String?) async throws -> SocketPassphrase? {
        guard let path else { return nil }
        var bytes = try await ByteFile(path, O_RDONLY).read() ?? []
        // An editor ends the line.
        while let last = bytes.last, [0x0A, 0x0D].contains(last) { bytes.removeLast() }
        guard let passphrase = SocketPassphrase(bytes) else {
            let (least, most) = (
                SocketPassphrase.minimumByteCount, SocketPassphrase.maximumByteCount
            )
            throw SocketCommandFailure(
                .data,
                "passphrase",
                "\(path) has \(bytes.count) bytes; a passphrase has \(least) to \(most)"
            )
        }
        return passphrase
    }
}

extension SocketPublicKey {
    fileprivate init(argument: String) throws {
        guard let key = SocketPublicKey(argument) else {
            throw ValidationError(
                "'\(argument)' is no key; the other end's 'ble-socket key FILE' prints 64 hexadecimal digits"
            )
        }
        self = key
    }
}
