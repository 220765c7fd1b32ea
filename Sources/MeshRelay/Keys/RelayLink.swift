/// What one user shows another, as a QR code or as text: `dim://name#digits//key`.
///
/// Each needs the other's.
public struct RelayLink: Hashable, Sendable, CustomStringConvertible {
    private static let scheme = "dim://"

    /// Under what packets reach the user.
    public let address: RelayAddress
    /// What the user's messages are encrypted for.
    public let key: RelayKey

    /// Creates a link.
    ///
    /// - Parameters:
    ///   - address: whose.
    ///   - key: their key.
    public init(address: RelayAddress, key: RelayKey) {
        self.address = address
        self.key = key
    }

    /// Reads a link.
    ///
    /// - Parameter text: the link; spaces and line ends around it are left out.
    /// - Throws: ``RelayError``: ``RelayError/Code/invalidLink``, ``RelayError/Code/invalidAddress``,
    ///   ``RelayError/Code/invalidKey``.
    public init(_ text: String) throws(RelayError) {
        let text = text.split(whereSeparator: \.isWhitespace)
        guard text.count == 1, text[0].lowercased().hasPrefix(Self.scheme) else {
            throw RelayError(.invalidLink, "that is no link of the form dim://name#digits//key")
        }
        let parts = text[0].dropFirst(Self.scheme.count).components(around: "//")
        guard parts.count == 2 else {
            throw RelayError(.invalidLink, "a link has the form dim://name#digits//key")
        }
        address = try RelayAddress(String(parts[0]))
        guard let key = RelayKey(text: parts[1]) else {
            throw RelayError(.invalidKey, "the link of \(address) has no key of 64 bytes in base64")
        }
        self.key = key
    }

    /// The link.
    public var description: String { "\(Self.scheme)\(address)//\(key.text)" }
}

extension Substring {
    fileprivate func components(around separator: String) -> [Substring] {
        split(separator: separator, omittingEmptySubsequences: false)
    }
}
