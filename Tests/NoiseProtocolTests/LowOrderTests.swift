import Crypto
import Testing

@testable import NoiseProtocol

/// Public keys that give a secret of zeros with any private key.
///
/// Source: RFC 7748, 6.1 and 7; Cheon, Jung: Low order points of Curve25519 (cr.yp.to/ecdh.html, "validate").
@Suite("A public key of low order")
struct LowOrderTests {
    /// 0, 1, p - 1, p, p + 1, and the two points of order 8.
    static let points: [[UInt8]] = [
        [0] + middle(0) + [0],
        [1] + middle(0) + [0],
        [0xEC] + middle(0xFF) + [0x7F],
        [0xED] + middle(0xFF) + [0x7F],
        [0xEE] + middle(0xFF) + [0x7F],
        [
            0xE0, 0xEB, 0x7A, 0x7C, 0x3B, 0x41, 0xB8, 0xAE, 0x16, 0x56, 0xE3, 0xFA, 0xF1, 0x9F,
            0xC4, 0x6A, 0xDA, 0x09, 0x8D, 0xEB, 0x9C, 0x32, 0xB1, 0xFD, 0x86, 0x62, 0x05, 0x16,
            0x5F, 0x49, 0xB8, 0x00,
        ],
        [
            0x5F, 0x9C, 0x95, 0xBC, 0xA3, 0x50, 0x8C, 0x24, 0xB1, 0xD0, 0xB1, 0x55, 0x9C, 0x83,
            0xEF, 0x5B, 0x04, 0x44, 0x5C, 0xC4, 0x58, 0x1C, 0x8E, 0x86, 0xD8, 0x22, 0x4E, 0xDD,
            0xD0, 0x9F, 0x11, 0x57,
        ],
    ]

    private static func middle(_ byte: UInt8) -> [UInt8] { Array(repeating: byte, count: 30) }

    @Test(arguments: points)
    func `is refused as the initiator's ephemeral key`(point: [UInt8]) throws {
        var responder = Handshake(as: .responder, with: IdentityKey())
        _ = try responder.read(point)
        #expect(refusal { try responder.write() } == .invalidKey)
        #expect(refusal { try responder.write() } == .failed)
    }

    @Test(arguments: points)
    func `is refused as the responder's ephemeral key`(point: [UInt8]) throws {
        var initiator = try Pair(after: 1).initiator
        let message = point + [UInt8](repeating: 0, count: 64)
        #expect(refusal { try initiator.read(message) } == .invalidKey)
        #expect(refusal { try initiator.read(message) } == .failed)
    }

    @Test(arguments: points)
    func `is refused as the initiator's static key`(point: [UInt8]) throws {
        var responder = Handshake(as: .responder, with: IdentityKey())
        let ephemeral = Curve25519.KeyAgreement.PrivateKey()
        let first = Array(ephemeral.publicKey.rawRepresentation)
        _ = try responder.read(first)
        let second = try responder.write()

        // An initiator by hand, since ours has a private key to its public one.
        var symmetric = SymmetricState(HandshakePattern.xx.protocolName)
        symmetric.mixHash([])
        symmetric.mixHash(first)
        _ = try symmetric.encryptAndHash([])
        let remote = Array(second[..<32])
        symmetric.mixHash(remote)
        symmetric.mixKey(try Self.agree(ephemeral, remote))
        let remoteStatic = try symmetric.decryptAndHash(Array(second[32..<80]))
        symmetric.mixKey(try Self.agree(ephemeral, remoteStatic))
        _ = try symmetric.decryptAndHash(Array(second[80...]))
        let sealed = try symmetric.encryptAndHash(point)
        symmetric.mixKey(SymmetricKey(data: [UInt8](repeating: 0, count: 32)))
        let third = sealed + (try symmetric.encryptAndHash([]))

        #expect(refusal { try responder.read(third) } == .invalidKey)
        #expect(responder.remoteStaticKey == nil)
    }

    private static func agree(
        _ own: Curve25519.KeyAgreement.PrivateKey,
        _ other: [UInt8]
    ) throws -> SymmetricKey {
        let other = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: other)
        return try own.sharedSecretFromKeyAgreement(with: other)
            .withUnsafeBytes { SymmetricKey(data: $0) }
    }
}
