internal import Crypto
internal import FoundationEssentials

/// What somebody's messages are encrypted for; it says who they are.
///
/// Source: a point of NIST P-256, X and Y of 32 bytes each (SEC 1, 2.3.3, without the first byte).
public struct RelayKey: Hashable, Sendable {
    /// How many bytes it has.
    public static let byteCount = 64

    /// The bytes.
    public let bytes: [UInt8]

    /// Creates a key that was stored.
    ///
    /// - Parameter bytes: ``byteCount`` of them, a point of the curve; else the result is `nil`.
    public init?(_ bytes: [UInt8]) {
        guard (try? P256.KeyAgreement.PublicKey(rawRepresentation: bytes)) != nil else {
            return nil
        }
        self.bytes = bytes
    }

    init(_ key: P256.KeyAgreement.PublicKey) {
        bytes = Array(key.rawRepresentation)
    }

    /// Creates a key from its text.
    ///
    /// - Parameter text: base64, in which `%2B`, `%2F` and `%3D` may stand for `+`, `/` and `=`; else the result is `nil`.
    public init?(text: some StringProtocol) {
        guard let bytes = KeyText.bytes(text) else { return nil }
        self.init(bytes)
    }

    /// The key as links have it: base64, with `%2B`, `%2F` and `%3D` for `+`, `/` and `=`.
    public var text: String { KeyText.text(bytes) }

    /// What two people compare, to see that nobody is between them: six groups of five digits.
    ///
    /// Each is five bytes of the key's SHA-256, a number modulo 100,000.
    public var fingerprint: String {
        let hash = Array(SHA256.hash(data: bytes))
        let groups = stride(from: 0, to: 30, by: 5).map { start in
            hash[start..<start + 5].reduce(0 as UInt64) { $0 << 8 | UInt64($1) } % 100_000
        }
        return groups.map { String(String($0 + 100_000).dropFirst()) }.joined(separator: " ")
    }
}

/// Keys as the apps write them.
enum KeyText {
    static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let parts = text.split(separator: "%", omittingEmptySubsequences: false)
        var base64 = String(parts[0])
        for part in parts.dropFirst() {
            guard let code = UInt8(part.prefix(2), radix: 16), part.count >= 2 else { return nil }
            base64.unicodeScalars.append(Unicode.Scalar(code))
            base64 += part.dropFirst(2)
        }
        return Data(base64Encoded: base64).map { Array($0) }
    }

    static func text(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().map { character in
            switch character {
            case "+": "%2B"
            case "/": "%2F"
            case "=": "%3D"
            default: String(character)
            }
        }.joined()
    }
}
