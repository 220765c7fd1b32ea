import BLETesting
import Crypto
import Testing

@testable import BLESocket

@Suite("An encrypted stream's bytes")
struct StreamCipherTests {
    private var central: StreamCipher
    private var peripheral: StreamCipher

    /// With the private keys of RFC 7748, 6.1: Alice's and Bob's.
    init() throws {
        let key = try #require(SocketKey(Array(0..<32)))
        let alice: [UInt8] = [
            0x77, 0x07, 0x6D, 0x0A, 0x73, 0x18, 0xA5, 0x7D, 0x3C, 0x16, 0xC1, 0x72, 0x51, 0xB2,
            0x66,
            0x45, 0xDF, 0x4C, 0x2F, 0x87, 0xEB, 0xC0, 0x99, 0x2A, 0xB1, 0x77, 0xFB, 0xA5, 0x1D,
            0xB9,
            0x2C, 0x2A,
        ]
        let bob: [UInt8] = [
            0x5D, 0xAB, 0x08, 0x7E, 0x62, 0x4A, 0x8A, 0x4B, 0x79, 0xE1, 0x7F, 0x8B, 0x83, 0x80,
            0x0E,
            0xE6, 0x6F, 0x3B, 0xB1, 0x29, 0x26, 0x18, 0xB6, 0xFD, 0x1C, 0x2F, 0x8B, 0x27, 0xFF,
            0x88,
            0xE0, 0xEB,
        ]
        central = StreamCipher(
            key: key,
            isCentral: true,
            privateKey: try .init(rawRepresentation: alice)
        )
        peripheral = StreamCipher(
            key: key,
            isCentral: false,
            privateKey: try .init(rawRepresentation: bob)
        )
    }

    /// Made with the Python package cryptography 48.0.0.
    @Test mutating func `are these`() throws {
        #expect(hexadecimal(central.greeting).hasPrefix("8520f0098930a754748b7ddcb43ef75a"))
        let proof = try peripheral.receive(central.greeting).reply
        #expect(hexadecimal(proof) == "100086907361cce172867aa2bc89c587d42f")
        let reply = try central.receive(peripheral.greeting).reply
        #expect(
            hexadecimal(reply)
                == "1000b34738f66e3e3425f319e5d4c662d76c"
        )
        let record = central.seal(Array("hello".utf8)) ?? []
        #expect(
            hexadecimal(record)
                == "1500a13c125afad9e27015cb2e29fe04907e1d5759b933"
        )
    }

    @Test mutating func `come as they were sent, in pieces of any size`() throws {
        try shakeHands()
        #expect(central.isOpen && peripheral.isOpen)
        for byteCount in [1, 5, 1_000, StreamCipher.maximumRecordByteCount] {
            let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0) }
            let record = central.seal(bytes) ?? []
            #expect(record.count == byteCount + StreamCipher.recordOverhead)
            var received: [UInt8] = []
            for start in stride(from: 0, to: record.count, by: 13) {
                received += try peripheral.receive(Array(record[start...].prefix(13))).bytes
            }
            #expect(received == bytes)
        }
        let end = peripheral.seal([]) ?? []
        #expect(!central.hasEnded)
        let endBytes = try central.receive(end).bytes
        #expect(endBytes.isEmpty)
        #expect(central.hasEnded)
        let more = peripheral.seal([1]) ?? []
        #expect(failure(more, central) != nil)
    }

    @Test mutating func `are refused when one of them was changed, left out, or sent again`() throws
    {
        try shakeHands()
        let record = central.seal([1, 2, 3]) ?? []
        for index in record.indices {
            var changed = record
            changed[index] ^= 1
            let receiver = peripheral
            // One with another length may wait for more.
            changed += [UInt8](repeating: 0, count: 300)
            #expect(failure(changed, receiver) != nil)
        }
        let next = central.seal([4]) ?? []
        let skipping = peripheral
        #expect(failure(next, skipping) != nil)
        let recordBytes = try peripheral.receive(record).bytes
        #expect(recordBytes == [1, 2, 3])
        let repeating = peripheral
        #expect(failure(record, repeating) != nil)
        let nextBytes = try peripheral.receive(next).bytes
        #expect(nextBytes == [4])
    }

    @Test mutating func `are not those of one with another key, nor one's own`() throws {
        let other = try #require(SocketKey(Array(1..<33)))
        var stranger = StreamCipher(key: other, isCentral: false)
        let proof = try stranger.receive(central.greeting).reply
        _ = try central.receive(stranger.greeting)
        #expect(failure(proof, central) == .invalidHandshake)
        #expect(!central.isOpen)
        let mirrored = peripheral
        #expect(failure(mirrored.greeting, mirrored) != nil)
        // What has no common secret, RFC 7748, 6.1.
        #expect(failure([UInt8](repeating: 0, count: 32), peripheral) != nil)
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
        let proof = try peripheral.receive(central.greeting).reply
        let reply = try central.receive(peripheral.greeting + proof).reply
        _ = try peripheral.receive(reply)
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

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }
        .joined()
    }
}
