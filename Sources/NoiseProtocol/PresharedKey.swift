internal import Crypto

/// A secret that two ends have in common before their handshake, and nobody else.
///
/// Without it a handshake that has one is refused. Somebody who calls, or is called, can try secrets afterwards as often as
/// their machine lets them: make it of random bytes, or of a passphrase by a function that takes long.
///
/// Source: The Noise Protocol Framework, revision 34, 9.
package struct PresharedKey: Sendable {
    /// How many bytes a key has.
    package static let byteCount = 32

    let key: SymmetricKey

    /// Creates a key.
    ///
    /// - Parameter bytes: ``byteCount``; else the result is `nil`.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        key = SymmetricKey(data: bytes)
    }
}

extension PresharedKey: CustomStringConvertible, CustomReflectable {
    /// Not the key.
    package var description: String { "a key of \(Self.byteCount) bytes" }

    /// Nothing, so that `dump` doesn't show the key either.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
