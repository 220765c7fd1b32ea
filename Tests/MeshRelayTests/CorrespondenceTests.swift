import Testing

@testable import MeshRelay

@Suite("Users and their contacts")
struct CorrespondenceTests {
    private static let aliceLink = RelayLink(
        address: Vectors.aliceAddress,
        key: Vectors.alice.key
    )
    private static let bobLink = RelayLink(address: Vectors.bobAddress, key: Vectors.bob.key)

    private static func pair() throws -> (alice: Correspondence, bob: Correspondence) {
        var alice = Correspondence(Vectors.alice, Vectors.aliceAddress)
        var bob = Correspondence(Vectors.bob, Vectors.bobAddress)
        try alice.add(bobLink, replacingKey: false)
        try bob.add(aliceLink, replacingKey: false)
        return (alice, bob)
    }

    private static func expect(
        _ code: RelayError.Code,
        _ location: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) {
        #expect(sourceLocation: location) {
            try body()
        } throws: {
            ($0 as? RelayError)?.code == code
        }
    }

    private static func ignored(_ outcome: Correspondence.Outcome) -> RelayCounters.IgnoreReason? {
        if case .ignored(let reason) = outcome { reason } else { nil }
    }

    @Test func `get texts, and receipts for them`() throws {
        var (alice, bob) = try Self.pair()
        let packet = try alice.compose("Hi 👋", to: Vectors.bobAddress, id: 7, fitting: 100)
        guard case .received(let message, let receipt) = bob.receive(packet, receiptID: 8) else {
            Issue.record("it was not received")
            return
        }
        #expect(message.text == "Hi 👋" && message.id == 7)
        #expect(message.sender == Vectors.aliceAddress && message.receiver == Vectors.bobAddress)
        #expect(receipt.id == 8 && receipt.text == "ACK/7" && receipt.receiver == "alice#1234")
        guard case .delivered(7, to: Vectors.bobAddress) = alice.receive(receipt, receiptID: 9)
        else {
            Issue.record("it was not delivered")
            return
        }
        // Again, by another way: the receipt is sent again, and tells nothing new.
        guard case .receivedAgain(let again) = bob.receive(packet, receiptID: 10) else {
            Issue.record("it was not known")
            return
        }
        #expect(again.text == "ACK/7" && again.id == 10)
        #expect(Self.ignored(alice.receive(again, receiptID: 11)) == .unexpectedReceipt)
        let read = bob.packet(.read([7, 99]), to: Vectors.aliceAddress, id: 12)
        guard case .read([7], by: Vectors.bobAddress) = alice.receive(read, receiptID: 13) else {
            Issue.record("it was not read")
            return
        }
    }

    /// Apps of the second generation say at each visit of a chat what was read.
    @Test func `are told once that a message was read`() throws {
        var (alice, bob) = try Self.pair()
        for id in [7, 8, 9] as [Int32] {
            _ = try alice.compose("Hi", to: Vectors.bobAddress, id: id, fitting: 100)
        }
        func read(_ ids: [Int32]) -> [Int32]? {
            let packet = bob.packet(.read(ids), to: Vectors.aliceAddress, id: 10)
            guard case .read(let told, _) = alice.receive(packet, receiptID: 11) else { return nil }
            return told
        }
        #expect(read([7, 7]) == [7])
        #expect(read([7]) == nil)
        #expect(read([7, 8]) == [8])
        // Nor that it has come.
        let receipt = bob.packet(.received(7), to: Vectors.aliceAddress, id: 12)
        #expect(Self.ignored(alice.receive(receipt, receiptID: 13)) == .unexpectedReceipt)
        // One that could not be kept is believed when it comes again.
        alice.expect(8, from: Vectors.bobAddress, isDelivered: true)
        #expect(read([8]) == [8])
        // One that is sent anew may be read anew.
        _ = try alice.compose("Hi", to: Vectors.bobAddress, id: 9, fitting: 100)
        #expect(read([9]) == [9])
    }

    /// The apps store "could not decrypt" as the text, and acknowledge it.
    @Test func `acknowledge nothing that they can't decrypt`() throws {
        var (alice, bob) = try Self.pair()
        var packet = try alice.compose("secret", to: Vectors.bobAddress, id: 7, fitting: 100)
        let other = try PairKey(RelayIdentity(), Vectors.bob.key)
        for text in [other.seal("forged"), "", "ACK/7", "not base64!", packet.text.lowercased()] {
            var changed = packet
            changed.text = text
            #expect(Self.ignored(bob.receive(changed, receiptID: 8)) == .notDecrypted)
        }
        packet.sender = "carol#1234"
        #expect(Self.ignored(bob.receive(packet, receiptID: 8)) == .stranger)
        packet.kind = .position
        packet.sender = "alice#1234"
        #expect(Self.ignored(bob.receive(packet, receiptID: 8)) == .position)
    }

    @Test func `believe no receipts for what they have not sent`() throws {
        var (alice, bob) = try Self.pair()
        try alice.add(
            RelayLink(address: Vectors.address("carol#1234"), key: RelayIdentity().key),
            replacingKey: false
        )
        _ = try alice.compose("to Bob", to: Vectors.bobAddress, id: 7, fitting: 100)
        for receipt in [RelayReceipt.received(7), .read([7])] {
            // Carol has not got it.
            var packet = bob.packet(receipt, to: Vectors.aliceAddress, id: 8)
            packet.sender = "carol#1234"
            #expect(Self.ignored(alice.receive(packet, receiptID: 9)) == .unexpectedReceipt)
        }
        for receipt in [RelayReceipt.received(6), .read([6])] {
            let packet = bob.packet(receipt, to: Vectors.aliceAddress, id: 8)
            #expect(Self.ignored(alice.receive(packet, receiptID: 9)) == .unexpectedReceipt)
        }
    }

    @Test func `are warned of another key`() throws {
        var (alice, _) = try Self.pair()
        let changed = RelayLink(address: Vectors.bobAddress, key: RelayIdentity().key)
        Self.expect(.keyChanged) { try alice.add(changed, replacingKey: false) }
        #expect(alice.links == [Self.bobLink])
        try alice.add(Self.bobLink, replacingKey: false)
        try alice.add(changed, replacingKey: true)
        #expect(alice.links == [changed])
        Self.expect(.invalidLink) { try alice.add(Self.aliceLink, replacingKey: true) }
        // Nor under another address.
        let own = RelayLink(address: Vectors.address("carol#1234"), key: Vectors.alice.key)
        Self.expect(.invalidLink) { try alice.add(own, replacingKey: true) }
    }

    @Test func `say what can't be sent`() throws {
        var (alice, _) = try Self.pair()
        Self.expect(.empty) {
            _ = try alice.compose("", to: Vectors.bobAddress, id: 1, fitting: 10)
        }
        _ = try alice.compose("0123456789", to: Vectors.bobAddress, id: 1, fitting: 10)
        Self.expect(.tooLong) {
            _ = try alice.compose("0123456789x", to: Vectors.bobAddress, id: 1, fitting: 10)
        }
        alice.remove(Vectors.bobAddress)
        Self.expect(.unknownContact) {
            _ = try alice.compose("x", to: Vectors.bobAddress, id: 1, fitting: 10)
        }
    }

    /// Whole ones: a text is not cut within one.
    @Test(arguments: [
        ("0123456789x", "11 characters (11 bytes of UTF-8); the first 10 characters"),
        ("blåbærgrød 🍇", "12 characters (18 bytes of UTF-8); the first 8 characters"),
        ("👩‍👩‍👧‍👦", "1 characters (25 bytes of UTF-8); the first 0 characters"),
    ])
    func `say how many characters fit`(text: String, says: String) throws {
        let user = try Self.pair().alice
        #expect {
            var alice = user
            _ = try alice.compose(text, to: Vectors.bobAddress, id: 1, fitting: 10)
        } throws: {
            "\($0)".contains(says)
        }
    }

    @Test func `have a limit`() throws {
        var alice = Correspondence(Vectors.alice, Vectors.aliceAddress)
        for number in 0..<RelayNode.maximumContactCount {
            let address = Vectors.address("x#\(number)")
            try alice.add(RelayLink(address: address, key: Vectors.bob.key), replacingKey: false)
        }
        Self.expect(.full) { try alice.add(Self.bobLink, replacingKey: false) }
    }
}
