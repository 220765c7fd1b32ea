internal import Crypto

/// Twelve groups of five digits that two people compare to see that nobody stands between them.
///
/// Both see the same, whichever key is their own. Six groups belong to each key, as in Signal's safety numbers: who wants to
/// pass for somebody has to find a second key with the same 30 digits, in about 10³⁰ tries of 5,200 hashes each. With six
/// groups for both keys together 10¹⁵ tries would do: a man in the middle chooses a key for each side.
///
/// The digits of a key, with `|` for one after the other:
///
/// ```
/// hash = SHA-512("Noise XX verification words 1" | key | key)
/// 5,199 times: hash = SHA-512(hash | key)
/// for each 5 of its first 30 bytes, the highest first: number % 100,000
/// ```
///
/// Source: Signal, libsignal, rust/protocol/src/fingerprint.rs.
package struct VerificationWords: Hashable, Sendable {
    private static let version = Array("Noise XX verification words 1".utf8)
    private static let iterationCount = 5200
    private static let wordCountOfKey = 6

    /// The groups, five digits each.
    package let words: [String]

    /// Creates the words of two people.
    ///
    /// It takes some milliseconds.
    ///
    /// - Parameters:
    ///   - one: a person's key.
    ///   - other: the other's; the order doesn't matter.
    package init(_ one: PublicKey, _ other: PublicKey) {
        let keys = [one.bytes, other.bytes].sorted { $0.lexicographicallyPrecedes($1) }
        words = keys.flatMap(Self.words)
    }

    private static func words(of key: [UInt8]) -> [String] {
        var hash = version + key
        for _ in 0..<iterationCount {
            hash = Array(SHA512.hash(data: hash + key))
        }
        return (0..<wordCountOfKey).map { index in
            let number = hash[(index * 5)..<(index * 5 + 5)].reduce(0) { $0 << 8 | UInt64($1) }
            let digits = String(number % 100_000)
            return String(repeating: "0", count: 5 - digits.count) + digits
        }
    }
}

extension VerificationWords: CustomStringConvertible {
    /// The groups with spaces between them.
    package var description: String { words.joined(separator: " ") }
}
