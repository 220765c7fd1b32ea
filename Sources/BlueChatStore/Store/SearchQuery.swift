/// What a person looks for, as a search that SQLite understands, whatever it is.
///
/// Each word must be in the text: one of letters and digits at the beginning of a word, in any case and with
/// any accents, by the index; what the index does not know as words, as emoji, or Chinese, which has no
/// spaces, anywhere in it, letter by letter.
struct SearchQuery: Hashable {
    /// For `MATCH`; `nil` without a word that is in the index.
    let match: String?
    /// What is to be found anywhere in the text.
    let pieces: [String]

    /// Reads what a person has typed; `nil` when there is nothing to look for.
    init?(_ input: String) {
        let input = input.cut(to: StoreLimits.searchByteCount)
        let words = input.split { $0.isWhitespace || $0 == "\0" }.prefix(
            StoreLimits.searchWordCount
        )
        guard !words.isEmpty else { return nil }
        let indexed = words.filter(Self.isIndexed)
        pieces = words.filter { !Self.isIndexed($0) }.map { String($0) }
        let quoted = indexed.map { word in
            // A quotation mark within a quoted word is written twice, also one with an accent, which is another character.
            let scalars = word.unicodeScalars.flatMap { $0 == "\"" ? [$0, $0] : [$0] }
            return "\"\(String(String.UnicodeScalarView(scalars)))\"*"
        }
        match = quoted.isEmpty ? nil : quoted.joined(separator: " ")
    }

    /// Whether the index finds a word: it has letters or digits, of a script with spaces between words.
    private static func isIndexed(_ word: Substring) -> Bool {
        var hasLetters = false
        for scalar in word.unicodeScalars {
            if isUnspaced(scalar) { return false }
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter,
                .otherLetter,
                .decimalNumber, .letterNumber, .otherNumber:
                hasLetters = true
            default:
                break
            }
        }
        return hasLetters
    }

    /// Whether a letter is of a script without spaces: Thai to Myanmar, Khmer, kana, Han; or of one newer
    /// than what SQLite knows of Unicode.
    private static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x1950...0x19DF, 0x1A20...0x1AAF,
            0x2E80...0x9FFF, 0xA9E0...0xA9FF, 0xAA60...0xAADF, 0xF900...0xFAFF, 0xFF66...0xFF9F,
            0x1_0000...:
            true
        default:
            false
        }
    }
}
