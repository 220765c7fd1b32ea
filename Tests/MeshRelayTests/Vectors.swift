import Testing

@testable import MeshRelay

/// Two users with known keys, and what is known of them.
///
/// Source: Docs/Wire.md, dIM.
enum Vectors {
    static let alice = identity(from: 0x01)
    static let bob = identity(from: 0x21)
    static let aliceAddress = address("alice#1234")
    static let bobAddress = address("bobby#5678")

    static func identity(from first: UInt8) -> RelayIdentity {
        guard let identity = RelayIdentity(Array(first..<first + 32)) else {
            preconditionFailure("it is a key")
        }
        return identity
    }

    static func address(_ text: String) -> RelayAddress {
        guard let address = try? RelayAddress(text) else { preconditionFailure(text) }
        return address
    }

    static func bytes(_ digits: String) -> [UInt8] {
        stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(digits.dropFirst($0).prefix(2), radix: 16)
        }
    }
}
