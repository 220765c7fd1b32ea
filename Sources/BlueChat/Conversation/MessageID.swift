/// Which message: 16 random bytes that its author chose.
public struct MessageID: Hashable, Sendable {
    /// How many bytes it has.
    public static let byteCount = 16

    /// The bytes.
    public let bytes: [UInt8]

    /// Creates a random one.
    public init() {
        var random = SystemRandomNumberGenerator()
        self.init(using: &random)
    }

    /// Creates one of a generator's next bytes.
    ///
    /// - Parameter generator: with the same state it gives the same one.
    public init(using generator: inout some RandomNumberGenerator) {
        bytes = (0..<Self.byteCount).map { _ in .random(in: 0...255, using: &generator) }
    }

    /// Creates one that was stored or received.
    ///
    /// - Parameter bytes: ``byteCount``; else the result is `nil`.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }
}

extension MessageID: CustomStringConvertible {
    /// 32 hexadecimal digits.
    public var description: String {
        bytes.flatMap { [$0 >> 4, $0 & 15] }.map { String($0, radix: 16) }.joined()
    }
}
