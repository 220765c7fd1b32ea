import Crypto
import Foundation
import Testing

@testable import NoiseProtocol

/// What Scripts/noise-vectors made with noiseprotocol.
struct Vector: Decodable, Sendable, CustomTestStringConvertible {
    struct Message: Decodable {
        let rekeyed: Bool
        let plaintext: Hexadecimal
        let message: Hexadecimal
    }

    struct OutOfOrder: Decodable {
        let counter: String
        let message: Hexadecimal
    }

    let name: String
    let prologue: Hexadecimal
    let initiatorStatic: Hexadecimal
    let initiatorEphemeral: Hexadecimal
    let responderStatic: Hexadecimal
    let responderEphemeral: Hexadecimal
    let publicKeys: [Hexadecimal]
    let fingerprints: [String]
    let words: [String]
    let payloads: [Hexadecimal]
    let messages: [Hexadecimal]
    let handshakeHash: Hexadecimal
    let fromInitiator: [Message]
    let fromResponder: [Message]
    let outOfOrder: [OutOfOrder]

    var testDescription: String { name }

    static func all() throws -> [Vector] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Vectors/noiseprotocol.json")
        return try JSONDecoder().decode([Vector].self, from: Data(contentsOf: file))
    }

    func handshake(as role: Handshake.Role) throws -> Handshake {
        let isInitiator = role == .initiator
        let ephemeral = isInitiator ? initiatorEphemeral : responderEphemeral
        return Handshake(
            .xx,
            as: role,
            with: try key(of: role),
            prologue: prologue.bytes,
            ephemeral: try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: ephemeral.bytes)
        )
    }

    func key(of role: Handshake.Role) throws -> IdentityKey {
        let bytes = (role == .initiator ? initiatorStatic : responderStatic).bytes
        guard let key = IdentityKey(bytes) else { throw CocoaError(.coderInvalidValue) }
        return key
    }
}

/// Bytes, two digits each.
struct Hexadecimal: Decodable {
    let bytes: [UInt8]

    init(from decoder: any Decoder) throws {
        bytes = try Self.bytes(try decoder.singleValueContainer().decode(String.self))
    }

    static func bytes(_ text: String) throws -> [UInt8] {
        let digits = Array(text)
        return try stride(from: 0, to: digits.count, by: 2).map { index in
            guard let byte = UInt8(String(digits[index...(index + 1)]), radix: 16) else {
                throw CocoaError(.coderInvalidValue)
            }
            return byte
        }
    }
}
