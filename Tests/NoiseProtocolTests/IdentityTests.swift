import Testing

@testable import NoiseProtocol

@Suite("An identity key")
struct IdentityTests {
    @Test func `comes back from its bytes`() throws {
        let key = IdentityKey()
        #expect(key.bytes.count == IdentityKey.byteCount)
        let same = try #require(IdentityKey(key.bytes))
        #expect(same == key)
        #expect(same.publicKey == key.publicKey)
        #expect(PublicKey(key.publicKey.bytes) == key.publicKey)
        #expect(IdentityKey() != key)
    }

    @Test(arguments: [0, 31, 33, 64])
    func `has 32 bytes`(count: Int) {
        #expect(IdentityKey(Array(repeating: 1, count: count)) == nil)
        #expect(PublicKey(Array(repeating: 1, count: count)) == nil)
    }

    /// The key pair of RFC 7748, 6.1; and its SHA-256 by sha256sum.
    @Test func `has the public key that X25519 gives`() throws {
        let key = try #require(
            IdentityKey([
                0x77, 0x07, 0x6D, 0x0A, 0x73, 0x18, 0xA5, 0x7D, 0x3C, 0x16, 0xC1, 0x72, 0x51, 0xB2,
                0x66, 0x45, 0xDF, 0x4C, 0x2F, 0x87, 0xEB, 0xC0, 0x99, 0x2A, 0xB1, 0x77, 0xFB, 0xA5,
                0x1D, 0xB9, 0x2C, 0x2A,
            ])
        )
        #expect(key.publicKey.bytes.prefix(4) == [0x85, 0x20, 0xF0, 0x09])
        #expect(key.publicKey.fingerprint.hasPrefix("300c9c9603b92a4b39ed3958bf924011"))
        #expect(key.publicKey.fingerprint.hasSuffix("4804db4fd373012c0ca47432d63425ae"))
    }

    @Test func `does not show its secret`() {
        let key = IdentityKey()
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(text.contains(key.publicKey.fingerprint))
        }
        #expect(Mirror(reflecting: key).children.isEmpty)
    }

    @Test func `gives words that depend on both people and not on their order`() {
        let keys = (0..<3).map { _ in IdentityKey().publicKey }
        let words = VerificationWords(keys[0], keys[1])
        #expect(words == VerificationWords(keys[1], keys[0]))
        #expect(words != VerificationWords(keys[0], keys[2]))
        #expect(words != VerificationWords(keys[2], keys[1]))
        #expect(words.words.count == 12)
        for word in words.words {
            #expect(word.count == 5)
            #expect(word.allSatisfy { "0123456789".contains($0) })
        }
        #expect("\(words)" == words.words.joined(separator: " "))
    }
}
