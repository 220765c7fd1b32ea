import BLETesting
import NoiseProtocol
import TestThreads
import Testing

@testable import BLESocket

@Suite("An encrypted stream's bytes", .ownThread)
struct StreamCipherTests {
    private let identities = (central: SocketIdentity(), peripheral: SocketIdentity())
    private var central: StreamCipher
    private var peripheral: StreamCipher

    init() {
        central = StreamCipher(
            SocketEncryption(identity: identities.central),
            isCentral: true
        )
        peripheral = StreamCipher(
            SocketEncryption(identity: identities.peripheral),
            isCentral: false
        )
    }

    /// A peripheral by hand, as Docs/Wire.md has it.
    @Test mutating func `are those of Noise XX, with lengths`() throws {
        let key = try #require(IdentityKey(identities.peripheral.bytes))
        var handshake = Handshake(
            as: .responder,
            with: key,
            prologue: Array("BLESocket stream 3".utf8)
        )
        #expect(central.greeting.count == 2 + 32)
        #expect(Array(central.greeting.prefix(2)) == [32, 0])
        _ = try handshake.read(Array(central.greeting.dropFirst(2)))
        let second = try handshake.write()
        #expect(second.count == 96)
        let reply = try central.receive([96, 0] + second).reply
        #expect(reply.count == 2 + 64 + 2 + 16)
        #expect(Array(reply.prefix(2)) == [64, 0])
        _ = try handshake.read(Array(reply[2..<66]))
        #expect(handshake.remoteStaticKey?.bytes == identities.central.publicKey.bytes)
        var transport = try handshake.split()
        #expect(Array(reply[66..<68]) == [16, 0])
        #expect(try transport.open(Array(reply[68...]), authenticating: [16, 0]).isEmpty)

        #expect(!central.isOpen)
        let proof = try transport.seal([], authenticating: [16, 0])
        #expect(try central.receive([16, 0] + proof).bytes.isEmpty)
        #expect(central.isOpen)
        #expect(central.peer == identities.peripheral.publicKey)
        for (plain, content) in [
            ([0, 104, 105], StreamCipher.Content.bytes([104, 105])), ([1, 9], .control([9])),
        ] as [([UInt8], StreamCipher.Content)] {
            let length = [UInt8(plain.count + 16), 0]
            let sealed = try transport.seal(plain, authenticating: length)
            #expect(try central.receive(length + sealed).contents == [content])
            let record = central.seal(content) ?? []
            #expect(Array(record.prefix(2)) == length)
            #expect(try transport.open(Array(record[2...]), authenticating: length) == plain)
        }
        // Without content, of no kind, and a control message that is too long.
        for plain in [[0], [1], [2, 1], [1] + [UInt8](repeating: 0, count: 257)] as [[UInt8]] {
            let length = [UInt8((plain.count + 16) & 0xFF), UInt8((plain.count + 16) >> 8)]
            var transport = transport
            let sealed = try transport.seal(plain, authenticating: length)
            #expect(failure(length + sealed, central) == .malformedData)
        }
    }

    @Test mutating func `have control messages among them, in order`() throws {
        try shakeHands()
        let contents: [StreamCipher.Content] = [
            .control([1]), .bytes([2]), .bytes([3, 4]), .control([5, 6]), .control([7]),
            .bytes([8]),
        ]
        let records = contents.flatMap { central.seal($0) ?? [] }
        #expect(
            try peripheral.receive(records).contents == [
                .control([1]), .bytes([2, 3, 4]), .control([5, 6]), .control([7]), .bytes([8]),
            ]
        )
    }

    @Test mutating func `come as they were sent, in pieces of any size`() throws {
        try shakeHands()
        #expect(central.isOpen && peripheral.isOpen)
        for byteCount in [1, 5, 1_000, StreamCipher.maximumRecordByteCount] {
            let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0) }
            let record = central.seal(.bytes(bytes)) ?? []
            #expect(record.count == byteCount + StreamCipher.recordOverhead)
            var received: [UInt8] = []
            for start in stride(from: 0, to: record.count, by: 13) {
                received += try peripheral.receive(Array(record[start...].prefix(13))).bytes
            }
            #expect(received == bytes)
        }
        let end = peripheral.seal(.bytes([])) ?? []
        #expect(!central.hasEnded)
        let endBytes = try central.receive(end).bytes
        #expect(endBytes.isEmpty)
        #expect(central.hasEnded)
        let more = peripheral.seal(.bytes([1])) ?? []
        #expect(failure(more, central) != nil)
    }

    @Test mutating func `go on with another key after 65,536 records`() throws {
        try shakeHands()
        // The proof was one.
        for _ in 1..<StreamCipher.rekeyInterval { _ = try peripheral.receive(record([1])) }
        let old = peripheral
        let record = record([2])
        #expect(try peripheral.receive(record).bytes == [2])
        // Who has the keys of now can't read what was before.
        #expect(failure(record, peripheral) == .malformedData)
        #expect(failure(record, old) == nil)
    }

    @Test mutating func `are refused when one of them was changed, left out, or sent again`() throws
    {
        try shakeHands()
        let record = record([1, 2, 3])
        for index in record.indices {
            var changed = record
            changed[index] ^= 1
            let receiver = peripheral
            // One with another length may wait for more.
            changed += [UInt8](repeating: 0, count: 300)
            #expect(failure(changed, receiver) != nil)
        }
        let next = central.seal(.bytes([4])) ?? []
        let skipping = peripheral
        #expect(failure(next, skipping) != nil)
        let recordBytes = try peripheral.receive(record).bytes
        #expect(recordBytes == [1, 2, 3])
        let repeating = peripheral
        #expect(failure(record, repeating) != nil)
        let nextBytes = try peripheral.receive(next).bytes
        #expect(nextBytes == [4])
    }

    /// One that is longer than the window would never be whole.
    @Test mutating func `are refused when a record is to be longer than one may be`() throws {
        #expect(failure([0xFF, 0xFF], peripheral) == .invalidHandshake)
        try shakeHands()
        // 4,096 bytes, what says what they are, and a tag.
        #expect(failure([0x11, 0x10], peripheral) == nil)
        #expect(failure([0x12, 0x10], peripheral) == .malformedData)
    }

    @Test mutating func `are refused when any byte of the handshake was changed`() throws {
        let second = try peripheral.receive(central.greeting).reply
        for index in second.indices.dropFirst(2) {
            var changed = second
            changed[index] ^= 1
            #expect(failure(changed, central) == .invalidHandshake)
        }
        let third = try central.receive(second).reply
        for index in 2..<66 {
            var changed = third
            changed[index] ^= 1
            #expect(failure(changed, peripheral) == .invalidHandshake)
        }
        // Its own message, sent back.
        let mirrored = central
        #expect(failure(mirrored.greeting, mirrored) == .invalidHandshake)
        // What gives a secret of zeros: RFC 7748, 6.1.
        let zeros = [32, 0] + [UInt8](repeating: 0, count: 32)
        let fresh = StreamCipher(SocketEncryption(), isCentral: false)
        #expect(failure(zeros, fresh) == .invalidHandshake)
    }

    @Test func `are for those alone who have the key that was asked for`() throws {
        let (own, other) = (identities.peripheral, SocketIdentity())
        for (asked, isTaken) in [(own, true), (other, false)] {
            var central = StreamCipher(
                SocketEncryption(peers: [asked.publicKey]),
                isCentral: true
            )
            var peripheral = StreamCipher(SocketEncryption(identity: own), isCentral: false)
            let second = try peripheral.receive(central.greeting).reply
            // Refused before this end says who it is.
            #expect(failure(second, central) == (isTaken ? nil : .invalidHandshake))
            guard isTaken else { continue }
            _ = try central.receive(second)
            #expect(central.peer == own.publicKey)
        }
        for (asked, isTaken) in [(identities.central, true), (other, false)] {
            var peripheral = StreamCipher(
                SocketEncryption(peers: [other.publicKey, asked.publicKey]),
                isCentral: false
            )
            var central = StreamCipher(
                SocketEncryption(identity: isTaken ? asked : own),
                isCentral: true
            )
            let third = try central.receive(peripheral.receive(central.greeting).reply).reply
            #expect(failure(third, peripheral) == (isTaken ? nil : .invalidHandshake))
        }
    }

    /// A file with a key that was copied to the other machine.
    @Test func `are not for who has this end's own key`() throws {
        let same = SocketEncryption(identity: identities.central)
        var (one, other) = (
            StreamCipher(same, isCentral: true), StreamCipher(same, isCentral: false)
        )
        let second = try other.receive(one.greeting).reply
        do {
            _ = try one.receive(second)
            Issue.record("it was not refused")
        } catch {
            #expect(error.code == .invalidHandshake)
            #expect(error.message.contains("own key"))
        }
    }

    @Test func `are for those alone who know the passphrase`() throws {
        let words = ["correct horse", "battery staple"].map { SocketPassphrase(Array($0.utf8)) }
        for (one, other) in [
            (words[0], words[0]), (words[0], words[1]), (words[0], nil), (nil, words[0]),
        ] {
            var central = StreamCipher(SocketEncryption(passphrase: one), isCentral: true)
            var peripheral = StreamCipher(SocketEncryption(passphrase: other), isCentral: false)
            var failure: SocketError.Code?
            do {
                let second = try peripheral.receive(central.greeting).reply
                let reply = try peripheral.receive(central.receive(second).reply).reply
                _ = try central.receive(reply)
            } catch {
                failure = error.code
            }
            #expect(failure == (one == other ? nil : .invalidHandshake))
            #expect(central.isOpen == (one == other))
            #expect(peripheral.isOpen == (one == other))
        }
        #expect(SocketPassphrase([UInt8](repeating: 1, count: 7)) == nil)
        #expect(SocketPassphrase([UInt8](repeating: 1, count: 1_025)) == nil)
    }

    /// Made with Python's hashlib.scrypt.
    @Test func `have this key for this passphrase`() throws {
        let passphrase = try #require(SocketPassphrase(Array("correct horse".utf8)))
        let expected = "5b4874075c0ba048f1c0e39301136c3fe8796bb0fb9ff8c27362805994f3301f"
        #expect(passphrase.bytes == SocketPublicKey(expected)?.bytes)
    }

    @Test func `are of keys whose text is 64 digits, and whose secret no text shows`() throws {
        let identity = try #require(SocketIdentity([UInt8](repeating: 7, count: 32)))
        let text = identity.publicKey.description
        #expect(text.count == 64)
        #expect(SocketPublicKey(text) == identity.publicKey)
        #expect(SocketPublicKey(text.uppercased()) == identity.publicKey)
        for wrong in ["", String(text.dropLast()), text + "0", String(repeating: "g", count: 64)] {
            #expect(SocketPublicKey(wrong) == nil)
        }
        var dumped = ""
        dump(SocketEncryption(identity: identity), to: &dumped)
        #expect(!dumped.contains("0707"))
        #expect(!dumped.contains("7, 7") && !"\(identity)".contains("0707"))
        #expect(SocketIdentity(identity.bytes) == identity)
        #expect(SocketIdentity([1]) == nil)
    }

    @Test(arguments: 0..<500 as Range<UInt64>)
    mutating func `that are garbage end in an error, or wait`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        if seed % 2 == 0 { try shakeHands() }
        for _ in 0..<20 {
            let count = Int.random(in: 0...200, using: &random)
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            do {
                let plain = try peripheral.receive(bytes).bytes
                #expect(plain.isEmpty)
            } catch {
                return
            }
        }
    }

    private mutating func shakeHands() throws {
        let second = try peripheral.receive(central.greeting).reply
        let third = try central.receive(second).reply
        let proof = try peripheral.receive(third).reply
        _ = try central.receive(proof)
    }

    private mutating func record(_ bytes: [UInt8]) -> [UInt8] {
        central.seal(.bytes(bytes)) ?? []
    }

    /// Why bytes are refused; `nil` when they are taken.
    private func failure(_ bytes: [UInt8], _ cipher: StreamCipher) -> SocketError.Code? {
        var cipher = cipher
        do {
            _ = try cipher.receive(bytes)
            return nil
        } catch {
            return error.code
        }
    }
}

extension StreamCipher.Received {
    /// Those of the stream.
    fileprivate var bytes: [UInt8] {
        contents.flatMap { content -> [UInt8] in
            if case .bytes(let bytes) = content { bytes } else { [] }
        }
    }
}
