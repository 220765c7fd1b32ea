/// What both ends of an encrypted stream know, and nobody else.
///
/// Make one of 32 random bytes, as with `head -c 32 /dev/urandom > key`: what somebody can guess is found by trying, with the
/// help of one connection to either end.
public struct SocketKey: Hashable, Sendable {
    /// How many bytes a key has at least.
    public static let minimumByteCount = 16

    let bytes: [UInt8]

    /// Creates a key.
    ///
    /// - Parameter bytes: at least ``minimumByteCount``; else the result is `nil`.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.minimumByteCount else { return nil }
        self.bytes = bytes
    }
}

extension SocketKey: CustomStringConvertible {
    /// Not the key.
    public var description: String { "a key of \(bytes.count) bytes" }
}
