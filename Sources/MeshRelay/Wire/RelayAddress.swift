/// Under what packets reach somebody: `name#digits`.
///
/// Anybody may use any address; who somebody is their key says.
public struct RelayAddress: Hashable, Sendable, CustomStringConvertible {
    /// How many bytes of UTF-8 an address has at most.
    public static let maximumByteCount = 128
    /// How many characters a user's name has.
    public static let nameLengths = 4...16

    /// The whole address, compared as it is.
    public let text: String

    /// Creates an address of somebody else.
    ///
    /// - Parameter text: the whole address, 1 to ``maximumByteCount`` bytes without control characters.
    /// - Throws: ``RelayError`` with ``RelayError/Code/invalidAddress``.
    public init(_ text: String) throws(RelayError) {
        guard (1...Self.maximumByteCount).contains(text.utf8.count) else {
            throw RelayError(
                .invalidAddress,
                "an address has 1 to \(Self.maximumByteCount) bytes, not \(text.utf8.count)"
            )
        }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw RelayError(.invalidAddress, "an address has no control characters")
        }
        self.text = text
    }

    /// Makes an address for a user, with digits by chance: four, or six in the first generation.
    ///
    /// - Parameters:
    ///   - name: 4 to 16 characters, none of them a space, `#` or `/`.
    ///   - generation: which apps it is meant for.
    ///   - random: chooses the digits.
    /// - Throws: ``RelayError`` with ``RelayError/Code/invalidName``.
    public init(
        name: String,
        for generation: RelayGeneration,
        using random: inout some RandomNumberGenerator
    ) throws(RelayError) {
        guard Self.nameLengths.contains(name.count) else {
            throw RelayError(
                .invalidName,
                "the name '\(name)' has \(name.count) characters; a name has 4 to 16"
            )
        }
        if let forbidden = name.first(where: { $0.isWhitespace || $0 == "#" || $0 == "/" }) {
            throw RelayError(.invalidName, "a name has no '\(forbidden)'")
        }
        let digits = Int.random(in: generation.digits, using: &random)
        do {
            try self.init("\(name)#\(digits)")
        } catch {
            throw RelayError(.invalidName, "'\(name)' is no name", underlying: error)
        }
    }

    /// The address without its digits.
    public var name: String { String(text.prefix { $0 != "#" }) }

    /// The whole address.
    public var description: String { text }
}
