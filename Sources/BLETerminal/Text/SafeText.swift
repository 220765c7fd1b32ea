/// Makes text that others wrote safe to show.
///
/// A terminal obeys control characters, and text that is drawn from right to left can look like another
/// one. What comes out has neither, so it can be written to a terminal, and be copied from it.
public enum SafeText {
    /// What becomes of the ends of lines.
    public enum LineFeeds: Sendable {
        /// They stay, each as one `\n`.
        case kept
        /// They are shown as `␤`, so the text is one line.
        case shown
    }

    /// A text without anything that a terminal would obey.
    ///
    /// | in the text | becomes |
    /// |---|---|
    /// | control characters, escape | their pictures: `␛`; U+FFFD for those above U+007F |
    /// | tab | spaces |
    /// | bidi embeddings, overrides, isolates | U+FFFD |
    /// | what is not seen: bidi marks, soft hyphens, spaces without width, fillers | nothing |
    /// | combining marks that stand alone | are drawn on `◌` |
    /// | more than 32 scalars in one character | the first 32 |
    ///
    /// - Parameters:
    ///   - text: any text.
    ///   - lineFeeds: what becomes of the ends of lines.
    ///   - tabWidth: at which columns a tab ends: at the multiples of this.
    /// - Returns: the text to show.
    public static func visible(
        _ text: String,
        lineFeeds: LineFeeds = .kept,
        tabWidth: Int = 4
    ) -> String {
        precondition(tabWidth > 0, "a tab has at least one column")
        var result = ""
        var column = 0
        for character in text {
            let replacement: String
            if character.isNewline, character != "\r", !["\u{B}", "\u{C}"].contains(character) {
                replacement = lineFeeds == .kept ? "\n" : "␤"
            } else if character == "\t" {
                replacement = String(repeating: " ", count: tabWidth - column % tabWidth)
            } else {
                replacement = visible(character)
            }
            column = replacement == "\n" ? 0 : column + replacement.displayWidth
            result += replacement
        }
        return result
    }

    private static func visible(_ character: Character) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in character.unicodeScalars.prefix(maximumScalarCount) {
            guard !isInvisible(scalar) else { continue }
            scalars.append(picture(of: scalar) ?? scalar)
        }
        let result = String(scalars)
        guard let first = scalars.first, result.displayWidth == 0 else { return result }
        switch first.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return "◌" + result
        default: return ""
        }
    }

    private static let maximumScalarCount = 32

    /// What is shown for a scalar that must not be written.
    private static func picture(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.value {
        case 0...0x1F: Unicode.Scalar(0x2400 + scalar.value)
        case 0x7F: "\u{2421}"
        case 0x80...0x9F, 0x202A...0x202E, 0x2066...0x2069, 0x206A...0x206F: "\u{FFFD}"
        default: nil
        }
    }

    /// Whether it is never seen, and no character needs it.
    ///
    /// Joiners, variation selectors and tags stay inside of characters: emoji and scripts need them.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xAD, 0x61C, 0x115F, 0x1160, 0x180E, 0x200B, 0x200E, 0x200F, 0x2028, 0x2029,
            0x2060...0x2065, 0x3164, 0xFEFF, 0xFFA0, 0xFFF9...0xFFFB:
            true
        default: false
        }
    }
}
