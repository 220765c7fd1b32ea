/// What somebody did at a terminal.
public enum Input: Hashable, Sendable {
    /// A key was pressed.
    case key(Key)
    /// Text was pasted.
    case paste(Paste)
}

/// Text that was pasted.
public struct Paste: Hashable, Sendable {
    /// The text; its lines end with `\n`.
    ///
    /// It may have control characters: see ``SafeText``.
    public let text: String
    /// Whether there was more than the limit, which is lost.
    public let isCut: Bool

    /// Creates a paste.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - isCut: whether there was more.
    public init(_ text: String, isCut: Bool = false) {
        self.text = text
        self.isCut = isCut
    }

    /// Decodes what a terminal sent; a character that the limit has cut is left out.
    init(bytes: [UInt8], isCut: Bool) {
        var bytes = bytes[...]
        if isCut, let lead = bytes.suffix(4).lastIndex(where: { $0 & 0xC0 != 0x80 }),
            lead + UTF8Decoder.length(of: bytes[lead]) > bytes.endIndex
        {
            bytes = bytes[..<lead]
        }
        var text = ""
        // A terminal sends what Enter sends at the end of each line.
        for character in String(decoding: bytes, as: UTF8.self) {
            text.append(character == "\r\n" || character == "\r" ? "\n" : character)
        }
        self.init(text, isCut: isCut)
    }
}
