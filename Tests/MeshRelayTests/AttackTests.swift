import Crypto
import Testing

@testable import MeshRelay

/// What was done to other meshes, and what comes of it here: Docs/Relay.md, Attacks.
@Suite("Attacks on a mesh")
struct AttackTests {
    private static let (left, right, far) = (NeighbourID(1), NeighbourID(2), NeighbourID(3))

    private static func router(_ address: RelayAddress = Vectors.address("me#1")) -> Router {
        var router = Router(address: address, generation: .both)
        for neighbour in [left, right, far] { _ = router.handle(.joined(neighbour), at: .zero) }
        return router
    }

    private static func message(_ text: String, id: Int32 = 7) -> RelayPacket {
        RelayPacket(id: id, kind: .message, sender: "a#1", receiver: "b#1", text: text)
    }

    private static func receivers(_ effects: [Router.Effect]) -> [NeighbourID] {
        effects.flatMap { effect -> [NeighbourID] in
            if case .send(_, let neighbours) = effect { neighbours } else { [] }
        }
    }

    private static func pair() throws -> (alice: Correspondence, bob: Correspondence) {
        var alice = Correspondence(Vectors.alice, Vectors.aliceAddress)
        var bob = Correspondence(Vectors.bob, Vectors.bobAddress)
        try alice.add(
            RelayLink(address: Vectors.bobAddress, key: Vectors.bob.key),
            replacingKey: false
        )
        try bob.add(
            RelayLink(address: Vectors.aliceAddress, key: Vectors.alice.key),
            replacingKey: false
        )
        return (alice, bob)
    }

    /// Whoever is faster than a message, and sends another one under its number, does not stop it.
    @Test func `another packet under a message's number does not stop the message`() {
        var router = Self.router()
        for (text, source) in [("forged", Self.left), ("true", Self.right), ("other", Self.left)] {
            let bytes = Self.message(text).encoded(for: .second)
            let effects = router.handle(.received(bytes, from: source), at: .zero)
            #expect(Self.receivers(effects).count == 2)
            // Each of them is sent on once.
            let again = router.handle(.received(bytes, from: Self.far), at: .zero)
            #expect(again == [.drop(.known, from: Self.far)])
        }
    }

    /// The same, to lead the acknowledgement astray.
    @Test func `another packet under a message's number does not turn its acknowledgement`() {
        var router = Self.router()
        let receipt = RelayReceipt.received(7)
        func acknowledge(_ id: Int32) -> [NeighbourID] {
            let packet = RelayPacket(
                id: id,
                kind: receipt.kind,
                sender: "b#1",
                receiver: "a#1",
                text: receipt.text
            )
            let bytes = packet.encoded(for: .second)
            return Self.receivers(router.handle(.received(bytes, from: Self.far), at: .zero))
        }
        let message = Self.message("true").encoded(for: .second)
        _ = router.handle(.received(message, from: Self.right), at: .zero)
        #expect(acknowledge(100) == [Self.right])
        let forged = Self.message("forged").encoded(for: .second)
        _ = router.handle(.received(forged, from: Self.left), at: .zero)
        #expect(acknowledge(101) == [Self.left, Self.right])
    }

    /// Days later the routers have forgotten it.
    @Test func `a message that is played again is not shown again`() throws {
        var (alice, bob) = try Self.pair()
        let packet = try alice.compose("Meet at noon", to: Vectors.bobAddress, id: 7, fitting: 100)
        let bytes = packet.encoded(for: .both)
        var router = Self.router(Vectors.bobAddress)
        var shown = 0
        for day in 0..<5 {
            let effects = router.handle(
                .received(bytes, from: Self.left),
                at: .seconds(day * 86_400)
            )
            guard case .deliver(let delivered, _) = effects.first else {
                Issue.record("it was not forgotten")
                continue
            }
            if case .received = bob.receive(delivered, receiptID: Int32(day)) { shown += 1 }
        }
        #expect(shown == 1)
    }

    /// The apps take it for a receipt, and lose it.
    @Test(arguments: [[0x00, 0x22, 0xBF], [0x44, 0x40, 0x03, 0xFC]] as [[UInt8]])
    func `a message that begins like a receipt is a message`(start: [UInt8]) throws {
        var (_, bob) = try Self.pair()
        let pair = try PairKey(Vectors.alice, Vectors.bob.key)
        let nonce = try AES.GCM.Nonce(
            data: start + [UInt8](repeating: 0, count: 12 - start.count)
        )
        let packet = RelayPacket(
            id: 7,
            kind: .message,
            sender: Vectors.aliceAddress.text,
            receiver: Vectors.bobAddress.text,
            text: pair.seal("Meet at noon", nonce)
        )
        #expect(packet.text.hasPrefix("ACK/") || packet.text.hasPrefix("READ/"))
        let bytes = packet.encoded(for: .second)
        var between = Self.router()
        let relayed = between.handle(.received(bytes, from: Self.left), at: .zero)
        #expect(Self.receivers(relayed) == [Self.right, Self.far])
        var router = Self.router(Vectors.bobAddress)
        let effects = router.handle(.received(bytes, from: Self.left), at: .zero)
        #expect(effects == [.deliver(packet, from: Self.left)])
        guard case .received(let message, let receipt) = bob.receive(packet, receiptID: 1) else {
            Issue.record("it was not received")
            return
        }
        #expect(message.text == "Meet at noon" && receipt.text == "ACK/7")
    }

    private static func isCopied(_ outcome: Correspondence.Outcome) -> Bool {
        if case .ignored(.copied) = outcome { true } else { false }
    }

    /// Numbers are in clear, and nothing vouches for them.
    @Test func `a message that is played again under another number is not shown again`() throws {
        var (alice, bob) = try Self.pair()
        let packet = try alice.compose("Meet at noon", to: Vectors.bobAddress, id: 7, fitting: 100)
        guard case .received = bob.receive(packet, receiptID: 1) else {
            Issue.record("it was not received")
            return
        }
        var copy = packet
        copy.id = 8
        #expect(Self.isCopied(bob.receive(copy, receiptID: 2)))
        // The same bytes, written in another way.
        copy.text = packet.text + "===="
        guard case .ignored(.notDecrypted) = bob.receive(copy, receiptID: 3) else {
            Issue.record("it was read")
            return
        }
        // The message itself is still acknowledged, as it came, and as its sender sends it anew.
        let resent = try alice.compose("Meet at noon", to: Vectors.bobAddress, id: 7, fitting: 100)
        for again in [packet, resent] {
            guard case .receivedAgain = bob.receive(again, receiptID: 4) else {
                Issue.record("it was not known")
                return
            }
        }
        // Another message may say the same.
        let next = try alice.compose("Meet at noon", to: Vectors.bobAddress, id: 8, fitting: 100)
        guard case .received = bob.receive(next, receiptID: 5) else {
            Issue.record("it was not received")
            return
        }
    }

    /// Both ends have one key for both directions; the next program with the user's secret knows what is its own, too.
    @Test func `a message that is sent back to who has written it is not shown`() throws {
        var (alice, _) = try Self.pair()
        var (next, _) = try Self.pair()
        let packet = try alice.compose("Meet at noon", to: Vectors.bobAddress, id: 7, fitting: 100)
        let reflected = RelayPacket(
            id: 10,
            kind: .message,
            sender: packet.receiver,
            receiver: packet.sender,
            text: packet.text
        )
        #expect(Self.isCopied(alice.receive(reflected, receiptID: 1)))
        #expect(Self.isCopied(next.receive(reflected, receiptID: 1)))
    }

    /// They say what they like, and have the bytes of an attribute to do it.
    @Test(arguments: [
        String(repeating: "[", count: 512),
        String(repeating: #"{"a":"#, count: 102),
        #"{"id":1e400,"kind":0,"sender":"a","receiver":"b","text":"x"}"#,
        #"{"id":2147483648,"kind":0,"sender":"a","receiver":"b","text":"x"}"#,
        #"{"id":-1,"kind":0,"sender":"a","receiver":"b","text":"x"}"#,
        #"{"id":1,"kind":0,"sender":null,"receiver":"b","text":"x"}"#,
        #"{"id":1,"kind":0,"type":1,"sender":"a","receiver":"b","text":"ACK/1"}"#,
        #"{"id":1,"kind":0,"sender":"a","receiver":"b","text":"x"}{}"#,
    ])
    func `JSON that is none costs nothing`(text: String) {
        var router = Self.router()
        let effects = router.handle(.received(Array(text.utf8), from: Self.left), at: .zero)
        #expect(effects == [.drop(.malformed, from: Self.left)])
        #expect(router.queuedCount == 0 && router.rememberedCount == 0)
    }

    /// From as many identities as it likes: what one neighbour sends is no more than 60 a minute, and the others are heard.
    @Test func `a flood does not keep others' messages out`() {
        var router = Self.router()
        for number in 0..<10_000 {
            let packet = RelayPacket(
                id: Int32(number),
                kind: .message,
                sender: "x\(number)#1",
                receiver: "y\(number)#1",
                text: "x"
            )
            _ = router.handle(.received(packet.encoded(for: .second), from: Self.left), at: .zero)
        }
        #expect(router.counters.relayed == 60)
        let message = Self.message("true").encoded(for: .second)
        let effects = router.handle(.received(message, from: Self.right), at: .zero)
        #expect(Self.receivers(effects) == [Self.left, Self.far])
    }

    /// Whoever sends it on can send what others have made, too.
    @Test func `a flood of one sender does not keep out what comes the same way`() {
        var router = Self.router()
        for number in 0..<10_000 as Range<Int32> {
            let packet = RelayPacket(
                id: number,
                kind: .message,
                sender: "x#1",
                receiver: "y#1",
                text: "x"
            )
            _ = router.handle(.received(packet.encoded(for: .second), from: Self.left), at: .zero)
        }
        #expect(router.counters.relayed == 30)
        let message = Self.message("true").encoded(for: .second)
        let effects = router.handle(.received(message, from: Self.left), at: .zero)
        #expect(Self.receivers(effects) == [Self.right, Self.far])
    }

    /// One neighbour says that it all comes from the sender.
    @Test func `a flood in a sender's name does not keep their messages out`() {
        var router = Self.router()
        for number in 100..<200 as Range<Int32> {
            let bytes = Self.message("forged", id: number).encoded(for: .second)
            _ = router.handle(.received(bytes, from: Self.left), at: .zero)
        }
        let message = Self.message("true").encoded(for: .second)
        let effects = router.handle(.received(message, from: Self.right), at: .zero)
        #expect(Self.receivers(effects) == [Self.left, Self.far])
    }

    /// It comes by the neighbour who sends the flood on.
    @Test func `a flood does not keep a contact's message from whom it is for`() throws {
        var (alice, bob) = try Self.pair()
        var router = Self.router(Vectors.bobAddress)
        func forged(_ id: Int32) -> RelayPacket {
            RelayPacket(
                id: id,
                kind: .message,
                sender: Vectors.aliceAddress.text,
                receiver: Vectors.bobAddress.text,
                text: "AAAA"
            )
        }
        func take(_ packet: RelayPacket) -> [Router.Effect] {
            let bytes = packet.encoded(for: .second)
            return router.handle(.received(bytes, from: Self.left), at: .zero) { [bob] in
                bob.isGenuine($0)
            }
        }
        for number in 100..<160 as Range<Int32> { _ = take(forged(number)) }
        let packet = try alice.compose("Meet at noon", to: Vectors.bobAddress, id: 7, fitting: 100)
        #expect(take(packet) == [.deliver(packet, from: Self.left)])
        _ = bob.receive(packet, receiptID: 1)
        // What is none of hers stays out, and so does what is played again.
        var copy = packet
        copy.id = 8
        for other in [forged(160), copy] {
            #expect(take(other) == [.drop(.senderRate, from: Self.left)])
        }
        // Also when the routers have forgotten it, or it is written in another way.
        #expect(!bob.isGenuine(packet))
        let next = try alice.compose("Meet at one", to: Vectors.bobAddress, id: 9, fitting: 100)
        #expect(bob.isGenuine(next))
        var respelled = next
        respelled.text += "===="
        #expect(!bob.isGenuine(respelled))
    }

    /// Base64 has bits that mean nothing, at its end.
    @Test func `a text in other base64 than apps write is not decrypted`() throws {
        let pair = try PairKey(Vectors.alice, Vectors.bob.key)
        // Its 28, 29 and 30 bytes end with two, one and none of `=`.
        for (text, isPadded) in [("xx", false), ("x", true), ("", true)] {
            let sealed = pair.seal(text)
            #expect(sealed.hasSuffix("=") == isPadded)
            #expect(try pair.open(sealed) == text)
            #expect(throws: RelayError.self) { try pair.open(sealed + "====") }
            guard let index = sealed.firstIndex(of: "=").map({ sealed.index(before: $0) }) else {
                continue
            }
            let alphabet = Array(
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
            )
            let digit = try #require(alphabet.firstIndex(of: sealed[index]))
            var other = sealed
            other.replaceSubrange(index...index, with: String(alphabet[digit ^ 1]))
            #expect(throws: RelayError.self) { try pair.open(other) }
            #expect(PairKey.nonce(of: other) == nil)
        }
    }
}
