import Crypto
import Testing

@testable import MeshRelay

@Suite("Keys")
struct KeyTests {
    private static let alicesText =
        "UVw9brnjlrkE0%2F7Kf1T9zQzB6Ze%2FN13KUVrQpsO0A19FNr46UPMY%2B%2FmlR1kCoiFQK%2B8NV"
        + "%2BCMU7LMClbxfZ%2BTVA%3D%3D"

    @Test func `are written as the apps write them`() throws {
        let key = Vectors.alice.key
        #expect(
            key.bytes
                == Vectors.bytes(
                    "515c3d6eb9e396b904d3feca7f54fdcd0cc1e997bf375dca515ad0a6c3b4035f"
                        + "4536be3a50f318fbf9a5475902a221502bef0d57e08c53b2cc0a56f17d9f9354"
                )
        )
        #expect(key.text == Self.alicesText)
        #expect(RelayKey(text: Self.alicesText) == key)
        #expect(RelayKey(text: Self.alicesText.lowercasedCodes) == key)
        #expect(
            Vectors.bob.key.text
                == "HxQBRr%2BxslH4T03b4NTNz9d6%2FZhKlSDjV5QCH4MSu57smVoIsfp3BN89zAtQqWZSY%2Ft3Eflfn4"
                + "pEnFCW5HyJKw%3D%3D"
        )
    }

    @Test func `are compared by six groups of digits`() {
        let groups = Vectors.alice.key.fingerprint.split(separator: " ")
        #expect(groups.count == 6 && groups.allSatisfy { $0.count == 5 && Int($0) != nil })
        #expect(Vectors.alice.key.fingerprint != Vectors.bob.key.fingerprint)
    }

    @Test(arguments: [
        "", "%", "%2", "%zz", "abc", "AAAA", String(repeating: "A", count: 86) + "==",
        String(repeating: "A", count: 100_000),
    ])
    func `are not what is no point of the curve`(text: String) {
        #expect(RelayKey(text: text) == nil)
    }

    @Test func `are stored and read again, and not shown`() {
        let identity = RelayIdentity()
        #expect(RelayIdentity(identity.bytes)?.key == identity.key)
        #expect(RelayIdentity([UInt8](repeating: 0, count: 32)) == nil)
        #expect(RelayIdentity([1, 2, 3]) == nil)
        var shown = ""
        dump(identity, to: &shown)
        #expect(!shown.contains("\(identity.bytes[0]), \(identity.bytes[1])"))
        #expect("\(identity)" == identity.key.fingerprint)
    }

    @Test(arguments: [
        ("Hi", "oKGio6Slpqeoqaqr3P+EaqcnS/1C5MCQffkIPOUE"),
        ("Hello Bob!", "oKGio6Slpqeoqaqr3PMXaiOwBBUMKrZGPNmYv7kjddpwiFcVqB8="),
        ("Blåbærgrød 🍇", "oKGio6Slpqeoqaqr1vq4oy5T4AgJedgogn/8TCuZfdSe/8C30p4dnhzLOfUexA=="),
    ])
    func `of two encrypt alike in both directions`(text: String, sealed: String) throws {
        let pairs = [
            try PairKey(Vectors.alice, Vectors.bob.key),
            try PairKey(Vectors.bob, Vectors.alice.key),
        ]
        let nonce = try AES.GCM.Nonce(data: Array(0xA0...0xAB as ClosedRange<UInt8>))
        for pair in pairs {
            #expect(pair.seal(text, nonce) == sealed)
            #expect(try pair.open(sealed) == text)
        }
    }

    @Test func `open nothing that was changed or made for others`() throws {
        let pair = try PairKey(Vectors.alice, Vectors.bob.key)
        let stranger = try PairKey(Vectors.alice, RelayIdentity().key)
        let sealed = Array(pair.seal("Hello Bob!").utf8)
        for index in sealed.indices {
            var changed = sealed
            // The first of its six bits: the last of them need not matter at the end.
            let isHigh =
                !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(changed[index])
                && !(UInt8(ascii: "a")...UInt8(ascii: "f")).contains(changed[index])
            changed[index] = isHigh ? UInt8(ascii: "A") : UInt8(ascii: "/")
            let text = String(decoding: changed, as: UTF8.self)
            #expect(throws: RelayError.self) { try pair.open(text) }
        }
        for text in ["", "A", "====", "AAAA", stranger.seal("Hello Bob!")] {
            #expect {
                try pair.open(text)
            } throws: {
                ($0 as? RelayError)?.code == .notDecrypted
            }
        }
    }

    @Test func `know what this end has encrypted, and not what the other has`() throws {
        let pair = try PairKey(Vectors.alice, Vectors.bob.key)
        let other = try PairKey(Vectors.bob, Vectors.alice.key)
        var nonces: Set<[UInt8]> = []
        for _ in 0..<100 {
            let nonce = try #require(PairKey.nonce(of: pair.seal("x")))
            nonces.insert(nonce)
            #expect(pair.isOwn(nonce) && !other.isOwn(nonce))
        }
        #expect(nonces.count == 100)
        #expect(PairKey.nonce(of: "ACK/7") == nil && PairKey.nonce(of: "AAAA") == nil)
    }

    @Test func `make nothing that an app takes for a receipt`() throws {
        let pair = try PairKey(Vectors.alice, Vectors.bob.key)
        let starts: [[UInt8]] = [[0x00, 0x22, 0xBF], [0x44, 0x40, 0x03, 0xFC], [0x01]]
        let nonces = try starts.map {
            try AES.GCM.Nonce(data: $0 + [UInt8](repeating: 0, count: 12 - $0.count))
        }
        #expect(pair.seal("x", nonces[0]).hasPrefix("ACK/"))
        #expect(pair.seal("x", nonces[1]).hasPrefix("READ/"))
        var rest = nonces[...]
        let sealed = pair.seal("x", choosing: { rest.popFirst() ?? nonces[2] })
        #expect(rest.isEmpty && PairKey.nonce(of: sealed) == Array(nonces[2]))
    }
}

extension String {
    fileprivate var lowercasedCodes: String {
        split(separator: "%", omittingEmptySubsequences: false).enumerated()
            .map { $0 == 0 ? String($1) : "%" + $1.prefix(2).lowercased() + $1.dropFirst(2) }
            .joined()
    }
}
