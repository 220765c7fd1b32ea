internal import BLEStorage
internal import Crypto
internal import FoundationEssentials
internal import MeshRelay

/// What a store's key file has: the user's secret, and what the messages in the database are encrypted with.
///
/// The file has 72 bytes: `DIMKEY1` and a line feed, the identity's 32, the storage key's 32.
struct RelayKeys {
    private static let mark = Array("DIMKEY1\n".utf8)
    private static let storageKeyByteCount = 32

    let identity: RelayIdentity
    private let storageKey: SymmetricKey

    /// Makes new ones.
    init() {
        identity = RelayIdentity()
        storageKey = SymmetricKey(size: .bits256)
    }

    /// Takes what was in a file.
    ///
    /// - Returns: `nil` when that is no key file.
    init?(_ bytes: [UInt8]) {
        let count = Self.mark.count + RelayIdentity.byteCount
        guard bytes.count == count + Self.storageKeyByteCount, bytes.starts(with: Self.mark),
            let identity = RelayIdentity(Array(bytes[Self.mark.count..<count]))
        else { return nil }
        self.identity = identity
        storageKey = SymmetricKey(data: bytes[count...])
    }

    /// What is to be in the file.
    var bytes: [UInt8] {
        Self.mark + identity.bytes + storageKey.withUnsafeBytes { Array($0) }
    }

    // MARK: - Texts

    /// Encrypts a text for its place in the database, ChaCha20-Poly1305 with a nonce by chance.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - place: where it is, so that it can't be moved elsewhere.
    /// - Returns: the nonce, what is sealed, the tag.
    func seal(_ text: String, for place: String) -> [UInt8] {
        do {
            let box = try ChaChaPoly.seal(
                Data(text.utf8),
                using: storageKey,
                authenticating: Data(place.utf8)
            )
            return Array(box.combined)
        } catch {
            // It fails for keys of another size, and longer texts than there can be.
            preconditionFailure("\(error)")
        }
    }

    /// Decrypts a text.
    ///
    /// - Throws: ``StoreError`` with ``StoreError/Code/damaged`` when it was changed, or is another store's.
    func open(_ bytes: [UInt8], for place: String) throws(StoreError) -> String {
        do {
            let box = try ChaChaPoly.SealedBox(combined: bytes)
            let text = try ChaChaPoly.open(
                box,
                using: storageKey,
                authenticating: Data(place.utf8)
            )
            return String(decoding: text, as: UTF8.self)
        } catch {
            throw StoreError(
                .damaged,
                "\(place) cannot be decrypted: it was changed, or is another store's",
                underlying: error
            )
        }
    }
}
