/// Breaks text into the lines that fit a width.
///
/// ```swift
/// TextWrap.lines(of: "It is decidedly so", width: 10)  // ["It is", "decidedly", "so"]
/// ```
///
/// A line ends at a line feed, after spaces, or beside a character of two cells, as ideographs are written
/// without spaces. A longer word is broken between two of its characters.
public enum TextWrap {
    /// The lines of a text, without the spaces at their ends.
    ///
    /// - Parameters:
    ///   - text: any text.
    ///   - width: how many cells a line has, at least 1. A character that is wider has a line of its own.
    /// - Returns: at least one line; their indices are the text's, as are those of ``WebLink/range``.
    public static func lines(of text: String, width: Int) -> [Substring] {
        let characters = Array(text)
        let indices = Array(text.indices) + [text.endIndex]
        return rows(of: characters, width: width, spacesHang: true).map { row in
            var end = row.upperBound
            while end > row.lowerBound, characters[end - 1].isBreakingSpace { end -= 1 }
            return text[indices[row.lowerBound]..<indices[end]]
        }
    }

    /// The ranges of the characters of each line, without line feeds.
    ///
    /// - Parameters:
    ///   - characters: the text.
    ///   - width: how many cells a line has, at least 1.
    ///   - spacesHang: whether spaces at the end of a line may be beyond the width, where nobody sees them.
    /// - Returns: at least one range.
    static func rows(of characters: [Character], width: Int, spacesHang: Bool) -> [Range<Int>] {
        precondition(width > 0, "a line has at least one cell")
        var rows: [Range<Int>] = []
        var (start, rowWidth) = (0, 0)
        /// Where the line may end, and how wide it is until there.
        var (pause, pauseWidth) = (0, 0)

        func end(at index: Int, next: Int) {
            rows.append(start..<index)
            start = next
        }

        for (index, character) in characters.enumerated() {
            if character.isNewline {
                end(at: index, next: index + 1)
                (pause, rowWidth) = (start, 0)
                continue
            }
            let cells = character.displayWidth
            let isSpace = character.isBreakingSpace
            if cells == 2 { (pause, pauseWidth) = (index, rowWidth) }
            if rowWidth + cells > width, index > start, !(isSpace && spacesHang) {
                if pause > start {
                    end(at: pause, next: pause)
                    rowWidth -= pauseWidth
                } else {
                    end(at: index, next: index)
                    rowWidth = 0
                }
                (pause, pauseWidth) = (start, 0)
            }
            rowWidth += cells
            if isSpace || cells == 2 { (pause, pauseWidth) = (index + 1, rowWidth) }
        }
        end(at: characters.count, next: characters.count)
        return rows
    }
}

extension Character {
    /// Whether a line may end after it: white space without marks, but for what is there to prevent that.
    fileprivate var isBreakingSpace: Bool {
        isWhitespace && unicodeScalars.count == 1
            && !["\u{A0}", "\u{2007}", "\u{202F}"].contains(self)
    }
}
