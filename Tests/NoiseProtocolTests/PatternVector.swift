import Crypto
import Foundation
import Testing

@testable import NoiseProtocol

/// One handshake, and some messages after it, as another implementation made them.
struct PatternVector: Sendable, CustomTestStringConvertible {
    let name: String
    let pattern: HandshakePattern
    var prologue: [UInt8] = []
    var initiatorStatic: [UInt8]?
    var responderStatic: [UInt8]?
    var initiatorEphemeral: [UInt8] = []
    /// Nothing where the responder sends nothing.
    var responderEphemeral: [UInt8] = []
    var presharedKey: [UInt8]?
    /// Where the source has it.
    var handshakeHash: [UInt8]?
    /// Payloads and messages, first those of the handshake, from both ends in turn.
    var messages: [(payload: [UInt8], message: [UInt8])] = []

    var testDescription: String { name }

    /// All of github.com/flynn/noise with these ciphers, and of cacophony.
    static func all() throws -> [PatternVector] { try flynn() + cacophony() }

    func handshake(as role: Handshake.Role) throws -> Handshake {
        let isInitiator = role == .initiator
        let ephemeral = isInitiator ? initiatorEphemeral : responderEphemeral
        let responder = try key(responderStatic)?.publicKey
        return Handshake(
            pattern,
            as: role,
            with: try key(isInitiator ? initiatorStatic : responderStatic),
            responder: isInitiator && pattern.knowsResponder ? responder : nil,
            presharedKey: try presharedKey.map { try #require(PresharedKey($0)) },
            prologue: prologue,
            ephemeral: ephemeral.isEmpty
                ? .init() : try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: ephemeral)
        )
    }

    func key(_ bytes: [UInt8]?) throws -> IdentityKey? {
        try bytes.map { try #require(IdentityKey($0)) }
    }

    private static let patterns: [HandshakePattern] = [.xx, .xxpsk3, .ik, .n]

    private static func pattern(_ protocolName: String) throws -> HandshakePattern {
        try #require(patterns.first { $0.protocolName == protocolName })
    }

    private static func contents(_ name: String) throws -> Data {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        return try Data(contentsOf: folder.appending(path: "Vectors/\(name)"))
    }

    private static func flynn() throws -> [PatternVector] {
        try String(decoding: contents("flynn.txt"), as: UTF8.self)
            .split(separator: "\n\n").enumerated().map { index, text in
                let pairs = text.split(separator: "\n").map { line in
                    let parts = line.split(separator: "=", omittingEmptySubsequences: false)
                    return (String(parts[0]), String(parts[1]))
                }
                let values = Dictionary(uniqueKeysWithValues: pairs)
                func bytes(_ key: String) throws -> [UInt8]? {
                    try values[key].map { try Hexadecimal.bytes($0) }
                }
                let name = try #require(values["handshake"])
                var vector = PatternVector(
                    name: "flynn \(index), \(name)",
                    pattern: try pattern(name)
                )
                vector.prologue = try bytes("prologue") ?? []
                vector.initiatorStatic = try bytes("init_static")
                vector.responderStatic = try bytes("resp_static")
                vector.initiatorEphemeral = try bytes("gen_init_ephemeral") ?? []
                vector.responderEphemeral = try bytes("gen_resp_ephemeral") ?? []
                vector.presharedKey = try bytes("preshared_key")
                while let payload = try bytes("msg_\(vector.messages.count)_payload"),
                    let message = try bytes("msg_\(vector.messages.count)_ciphertext")
                {
                    vector.messages.append((payload, message))
                }
                return vector
            }
    }

    private struct Cacophony: Decodable {
        struct Message: Decodable {
            let payload: Hexadecimal
            let ciphertext: Hexadecimal
        }

        let protocol_name: String
        let init_prologue: Hexadecimal
        let init_static: Hexadecimal?
        let resp_static: Hexadecimal?
        let init_ephemeral: Hexadecimal
        let resp_ephemeral: Hexadecimal?
        let init_psks: [Hexadecimal]?
        let handshake_hash: Hexadecimal
        let messages: [Message]
    }

    private static func cacophony() throws -> [PatternVector] {
        try JSONDecoder().decode([Cacophony].self, from: contents("cacophony.json")).map {
            PatternVector(
                name: "cacophony, \($0.protocol_name)",
                pattern: try pattern($0.protocol_name),
                prologue: $0.init_prologue.bytes,
                initiatorStatic: $0.init_static?.bytes,
                responderStatic: $0.resp_static?.bytes,
                initiatorEphemeral: $0.init_ephemeral.bytes,
                responderEphemeral: $0.resp_ephemeral?.bytes ?? [],
                presharedKey: $0.init_psks?.first?.bytes,
                handshakeHash: $0.handshake_hash.bytes,
                messages: $0.messages.map { ($0.payload.bytes, $0.ciphertext.bytes) }
            )
        }
    }
}
