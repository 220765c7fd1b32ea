import Testing

@testable import MeshRelay

@Suite("Packets")
struct PacketTests {
    private static let message = RelayPacket(
        id: 305_419_896,
        kind: .message,
        sender: "alice#1234",
        receiver: "bobby#5678",
        text: "oKGio6Slpqeoqaqr3PMXaiOwBBUMKrZGPNmYv7kjddpwiFcVqB8="
    )

    @Test(arguments: [
        (RelayGeneration.first, 133, true, false), (.second, 133, false, true),
        (.both, 142, true, true),
    ])
    func `are as long as the apps'`(
        generation: RelayGeneration,
        byteCount: Int,
        hasType: Bool,
        hasKind: Bool
    ) throws {
        let bytes = Self.message.encoded(for: generation)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(bytes.count == byteCount)
        #expect(text.contains(#""type":0"#) == hasType)
        #expect(text.contains(#""kind":0"#) == hasKind)
        #expect(try RelayPacket(bytes) == Self.message)
    }

    @Test(arguments: [
        #"{"id":305419896,"kind":0,"sender":"alice#1234","receiver":"bobby#5678","text":"oKGio6Slpqeoqaqr3PMXaiOwBBUMKrZGPNmYv7kjddpwiFcVqB8="}"#,
        #"{"id":305419896,"type":0,"sender":"alice#1234","receiver":"bobby#5678","text":"oKGio6Slpqeoqaqr3PMXaiOwBBUMKrZGPNmYv7kjddpwiFcVqB8="}"#,
        #"{"text":"oKGio6Slpqeoqaqr3PMXaiOwBBUMKrZGPNmYv7kjddpwiFcVqB8=","kind":0,"type":0,"receiver":"bobby#5678","sender":"alice#1234","id":305419896}"#,
        #" { "id" : 305419896 , "hops":[1,{"a":null}], "kind":0,"sender":"alice\u00231234","receiver":"bobby#5678","text":"oKGio6Slpqeoqaqr3PMXaiOwBBUMKrZGPNmYv7kjddpwiFcVqB8="} "#,
    ])
    func `of both generations are read`(text: String) throws {
        #expect(try RelayPacket(Array(text.utf8)) == Self.message)
    }

    @Test func `of one generation are put so that both read them`() throws {
        let parts = (#""hops":3,"#, #""id":7,"sender":"a","receiver":"b","text":"t\/"}"#)
        let second = Array((#" {"kind":1,"# + parts.0 + parts.1).utf8)
        let bridged = try #require(RelayPacket.bridged(second))
        #expect(
            String(decoding: bridged, as: UTF8.self)
                == #" {"type":1,"kind":1,"# + parts.0 + parts.1
        )
        let first = Array((#"{"type":1,"# + parts.1).utf8)
        #expect(
            RelayPacket.bridged(first).map { String(decoding: $0, as: UTF8.self) }
                == #"{"kind":1,"type":1,"# + parts.1
        )
        for packet in [first, second, bridged] {
            #expect(try RelayPacket(packet) == RelayPacket(first))
        }
        #expect(RelayPacket.bridged(bridged) == nil)
        #expect(RelayPacket.bridged(Array("{}".utf8)) == nil)
        let packet = try WirePacket(Self.message.encoded(for: .second))
        #expect(packet.bytes(for: .both, upTo: 142).count == 142)
        #expect(packet.bytes(for: .both, upTo: 141) == packet.bytes)
        #expect(packet.bytes(for: .second, upTo: 512) == packet.bytes)
    }

    @Test func `have slashes either way`() throws {
        for slash in ["/", #"\/"#] {
            let text =
                #"{"id":7,"kind":0,"sender":"alice#1234","receiver":"bobby#5678","#
                + #""text":"oKGio6Slpqeoqaqr3P+EaqcnS"# + slash + #"1C5MCQffkIPOUE"}"#
            #expect(
                try RelayPacket(Array(text.utf8)).text == "oKGio6Slpqeoqaqr3P+EaqcnS/1C5MCQffkIPOUE"
            )
        }
    }

    private static func json(
        id: String = "1",
        kind: String = #""kind":0,"#,
        sender: String = #""a""#,
        rest: String = ""
    ) -> String {
        #"{"id":\#(id),\#(kind)"sender":\#(sender),"receiver":"b","text":"t"\#(rest)}"#
    }

    @Test(arguments: [
        "", "{", "{}", "[]", "null", "7", #""text""#, json(id: "-1"), json(id: "2147483648"),
        json(id: "1.5"), json(id: "1e99"), json(id: "NaN"), json(id: #""1""#), json(id: "null"),
        json(id: "true"), json(kind: ""), json(kind: #""kind":4,"#), json(kind: #""kind":-1,"#),
        json(kind: #""kind":"0","#), json(kind: #""kind":0,"type":1,"#), json(sender: "7"),
        json(sender: "null"), json(sender: #"{"a":"b"}"#), json(rest: ",") + "x", json() + json(),
        json(sender: #""\ud800""#), json(sender: "\"\u{1}\""),
        String(repeating: "[", count: 512), String(repeating: #"{"id":"#, count: 80),
        json(rest: #","x":""# + String(repeating: "y", count: 512) + "\""),
    ])
    func `are not what lacks something or is too much`(text: String) {
        #expect(throws: MalformedPacket.self) { try RelayPacket(Array(text.utf8)) }
    }

    @Test func `are no bytes that are not UTF-8`() {
        let bytes = Array(Self.json(sender: "\"?\"").utf8).map {
            $0 == UInt8(ascii: "?") ? 0xFF : $0
        }
        #expect(throws: MalformedPacket.self) { try RelayPacket(bytes) }
    }

    /// A decoder takes them, and no node of the mesh does.
    @Test func `are not in UTF-16 or UTF-32`() {
        let text = Self.json()
        let little: [UInt8] = text.utf8.flatMap { [$0, 0] as [UInt8] }
        let big: [UInt8] = text.utf8.flatMap { [0, $0] as [UInt8] }
        let widest: [UInt8] = text.utf8.flatMap { [$0, 0, 0, 0] as [UInt8] }
        for bytes in [little, big, [0xFF, 0xFE] + little, [0xFE, 0xFF] + big, widest] {
            #expect(throws: MalformedPacket.self) { try RelayPacket(bytes) }
        }
    }

    /// Also where nobody reads it: a node that knows more might.
    @Test func `are no bytes that are not UTF-8 in a member that is not known`() {
        let bytes = Array(Self.json(rest: #","x":"?""#).utf8).map {
            $0 == UInt8(ascii: "?") ? 0xFF : $0
        }
        #expect(throws: MalformedPacket.self) { try RelayPacket(bytes) }
    }

    /// Some readers take the first, others the last.
    @Test(arguments: [
        #","id":2"#, #","id":1"#, #","\u0069d":1"#, #","kind":0"#, #","text" : "u""#,
        #","x":1,"x":1"#,
    ])
    func `have no member twice`(rest: String) {
        #expect(throws: MalformedPacket.self) {
            try RelayPacket(Array(Self.json(rest: rest).utf8))
        }
    }

    @Test(arguments: [
        #","x":{"id":2,"kind":[{"id":3}]}"#, #","x":"\",\"id\":2""#, #","x":":","y":"\\""#,
    ])
    func `may have the name of a member in another`(rest: String) throws {
        #expect(try RelayPacket(Array(Self.json(rest: rest).utf8)).id == 1)
    }

    /// Else it would have the member twice.
    @Test func `of one generation stay as they are with an empty kind of the other`() {
        let bytes = Array(Self.json(kind: #""kind":null,"type":0,"#).utf8)
        #expect(RelayPacket.bridged(bytes) == nil)
    }

    /// Swift's strings are equal when they look the same.
    @Test func `of other bytes are told apart`() throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        let packets = try [composed, decomposed, #"\u00e9"#].map {
            try WirePacket(Array(Self.json(sender: "\"\($0)\"").utf8))
        }
        #expect(packets[0].packet == packets[1].packet)
        #expect(packets[0].digest != packets[1].digest)
        // However it is written, it is the same packet.
        #expect(packets[0].digest == packets[2].digest)
    }

    /// Source: Docs/Wire.md, dIM: characters that fit, with names of 9 and of 21 characters.
    @Test(arguments: [
        (20, 0, 0, 0, 0), (182, 47, 29, 41, 23), (244, 95, 77, 86, 68), (512, 296, 278, 287, 269),
    ])
    func `have room for a text`(
        byteCount: Int,
        short: Int,
        long: Int,
        shortForBoth: Int,
        longForBoth: Int
    ) throws {
        for (length, one, both) in [(9, short, shortForBoth), (21, long, longForBoth)] {
            let address = Vectors.address(String(repeating: "x", count: length))
            for generation in RelayGeneration.allCases {
                let room = RelayPacket.maximumTextByteCount(
                    inNotificationOf: byteCount,
                    from: address,
                    to: address,
                    for: generation
                )
                #expect(room == (generation == .both ? both : one))
                guard room > 0 else { continue }
                let pair = try PairKey(Vectors.alice, Vectors.bob.key)
                for (count, fits) in [(room, true), (room + 1, false)] {
                    let packet = RelayPacket(
                        id: .max,
                        kind: .message,
                        sender: address.text,
                        receiver: address.text,
                        text: pair.seal(String(repeating: "x", count: count))
                    )
                    #expect((packet.encoded(for: generation).count <= byteCount) == fits)
                }
            }
        }
    }
}

@Suite("Receipts")
struct ReceiptTests {
    private static func receipt(_ kind: RelayPacket.Kind, _ text: String) throws -> RelayReceipt {
        try RelayReceipt(RelayPacket(id: 1, kind: kind, sender: "b", receiver: "a", text: text))
    }

    @Test(arguments: [
        (RelayReceipt.received(305_419_896), "ACK/305419896"), (.received(0), "ACK/0"),
        (.read([305_419_896, 7]), "READ/305419896/7/"), (.read([.max]), "READ/2147483647/"),
    ])
    func `are written with a slash at the end of READ`(receipt: RelayReceipt, text: String) throws {
        #expect(receipt.text == text)
        #expect(try Self.receipt(receipt.kind, text) == receipt)
    }

    @Test func `are read without it, too`() throws {
        #expect(try Self.receipt(.read, "READ/305419896/7") == .read([305_419_896, 7]))
    }

    @Test(arguments: [
        (RelayPacket.Kind.acknowledgement, ""), (.acknowledgement, "ACK"),
        (.acknowledgement, "ACK/"),
        (.acknowledgement, "ACK/1/2"), (.acknowledgement, "ACK/x"), (.acknowledgement, "ACK/-1"),
        (.acknowledgement, "ACK/+1"), (.acknowledgement, "ACK/01"),
        (.acknowledgement, "ACK/2147483648"),
        (.acknowledgement, "READ/1/"), (.read, "ACK/1"), (.read, "READ"), (.read, "READ/"),
        (.read, "READ//"), (.read, "READ/1//"), (.read, "READ/1/x/"), (.read, "read/1/"),
        (.message, "ACK/1"), (.message, "READ/1/"), (.position, "ACK/1"),
    ])
    func `are nothing else`(kind: RelayPacket.Kind, text: String) {
        #expect(throws: MalformedPacket.self) { try Self.receipt(kind, text) }
    }
}
