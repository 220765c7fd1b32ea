import BLETesting
import Testing

@testable import MeshRelay

@Suite("Addresses and links")
struct LinkTests {
    @Test func `are read as they are written`() throws {
        let link = RelayLink(address: Vectors.aliceAddress, key: Vectors.alice.key)
        let text = "\(link)"
        #expect(text == "dim://alice#1234//" + Vectors.alice.key.text)
        #expect(text.count == 124)
        #expect(try RelayLink(text) == link)
        #expect(try RelayLink("\n \(text)\r\n") == link)
    }

    @Test(arguments: [
        ("", RelayError.Code.invalidLink), ("https://a.b", .invalidLink), ("dim://", .invalidLink),
        ("dim://alice#1234", .invalidLink), ("dim://a//b//c", .invalidLink),
        ("dim:////key", .invalidAddress), ("dim://alice#1234//", .invalidKey),
        ("dim://alice#1234//AAAA", .invalidKey), ("dim://a\u{7}b#1234//AAAA", .invalidAddress),
        ("dim://alice #1234//AAAA", .invalidLink),
    ])
    func `that are none say why`(text: String, code: RelayError.Code) {
        #expect {
            try RelayLink(text)
        } throws: {
            ($0 as? RelayError)?.code == code
        }
    }

    @Test(arguments: [(RelayGeneration.first, 6), (.second, 4), (.both, 4)])
    func `have digits by chance`(generation: RelayGeneration, count: Int) throws {
        var random = SeededGenerator(seed: 1)
        var addresses: Set<String> = []
        for _ in 0..<100 {
            let address = try RelayAddress(name: "alice", for: generation, using: &random)
            #expect(address.name == "alice")
            let digits = address.text.dropFirst("alice#".count)
            #expect(digits.count == count && Int(digits) != nil && digits.first != "0")
            addresses.insert(address.text)
        }
        #expect(addresses.count > 90)
    }

    @Test(arguments: [
        "", "abc", "seventeen letters", "abcdefghijklmnopq", "a b c", "a#bc", "a/bc", "ab\tcd",
        "abc\u{7}",
    ])
    func `have no such names`(name: String) {
        var random = SeededGenerator(seed: 1)
        #expect {
            try RelayAddress(name: name, for: .both, using: &random)
        } throws: {
            ($0 as? RelayError)?.code == .invalidName
        }
    }

    @Test func `have a length`() throws {
        let longest = String(repeating: "x", count: RelayAddress.maximumByteCount)
        #expect(try RelayAddress(longest).text == longest)
        #expect(throws: RelayError.self) { try RelayAddress(longest + "x") }
        #expect(try RelayAddress("nobody").name == "nobody")
    }
}
