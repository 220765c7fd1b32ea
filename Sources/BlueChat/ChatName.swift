internal import BLE

/// A name under which somebody is found: 1 to 16 characters, counted as UTF-16 code units, as the original counts.
///
/// An advertisement has room for 29 bytes of UTF-8. A name that has more is cut there, at a character.
public struct ChatName: Hashable, Sendable, CustomStringConvertible {
    /// How many UTF-16 code units a name has at most.
    public static let maximumLength = 16

    /// The whole name.
    public let text: String

    /// Creates a name.
    ///
    /// - Parameter text: the name; spaces at its ends are left out.
    /// - Throws: ``ChatError`` with ``ChatError/Code/invalidName``.
    public init(_ text: String) throws(ChatError) {
        let text = String(text.drop(while: \.isWhitespace).reversedTrimmingWhitespace)
        guard !text.isEmpty else {
            throw ChatError(.invalidName, "a name has 1 to \(Self.maximumLength) characters")
        }
        guard text.utf16.count <= Self.maximumLength else {
            throw ChatError(
                .invalidName,
                "the name '\(text)' has \(text.utf16.count) characters; a name has at most "
                    + "\(Self.maximumLength)"
            )
        }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw ChatError(.invalidName, "a name has no control characters")
        }
        self.text = text
    }

    /// The name, or as much of it as an advertisement has room for.
    ///
    /// It is never empty, or nobody would find it: of a single character that has more, the last combining marks are left out.
    public var advertised: String {
        var advertised = text
        while advertised.utf8.count > Advertisement.maximumNameByteCount {
            if advertised.count > 1 {
                advertised.removeLast()
            } else {
                advertised.unicodeScalars.removeLast()
            }
        }
        return advertised
    }

    /// The whole name.
    public var description: String { text }
}

extension Substring {
    fileprivate var reversedTrimmingWhitespace: Substring {
        var rest = self
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return rest
    }
}
