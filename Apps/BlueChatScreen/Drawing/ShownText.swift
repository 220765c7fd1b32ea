internal import BLETerminal

extension StringProtocol {
    /// The text on one row, safe to draw, and cut with `…` where it is too wide.
    ///
    /// - Parameter width: how many cells it has at most.
    /// - Returns: the text; empty when there are no cells.
    func fitted(_ width: Int) -> String {
        guard width > 0 else { return "" }
        // What is never seen takes none of the cells; of a flood of it not all is looked at.
        let beginning = prefix(2 * width + 64)
        let text = SafeText.visible(String(beginning), lineFeeds: .shown)
        let isWhole = beginning.endIndex == endIndex
        if isWhole, text.displayWidth <= width { return text }
        var result = ""
        var rest = width - 1
        for character in text {
            rest -= character.displayWidth
            guard rest >= 0 else { break }
            result.append(character)
        }
        return result + "…"
    }
}

/// Text of others in several rows.
enum ShownText {
    /// A text, safe to draw, with its links underlined.
    ///
    /// - Parameters:
    ///   - text: any text.
    ///   - width: how many cells a row has; one in place of less.
    ///   - style: how it looks.
    ///   - lineFeeds: what becomes of the ends of lines.
    /// - Returns: at least one row.
    static func rows(
        _ text: String,
        width: Int,
        _ style: Style = .plain,
        lineFeeds: SafeText.LineFeeds = .kept
    ) -> [StyledRow] {
        let text = SafeText.visible(text, lineFeeds: lineFeeds)
        var links = WebLinks.find(in: text)[...]
        return TextWrap.lines(of: text, width: max(1, width)).map { line in
            while let link = links.first, link.range.upperBound <= line.startIndex {
                links.removeFirst()
            }
            return row(line, links, style)
        }
    }

    private static func row(_ line: Substring, _ links: ArraySlice<WebLink>, _ style: Style)
        -> StyledRow
    {
        var row = StyledRow()
        var start = line.startIndex
        for link in links {
            guard link.range.lowerBound < line.endIndex else { break }
            let part = link.range.clamped(to: start..<line.endIndex)
            row.append(line[start..<part.lowerBound], style)
            var linked = style
            linked.attributes.insert(.underlined)
            linked.link = link.target
            row.append(line[part], linked)
            start = part.upperBound
        }
        row.append(line[start...], style)
        return row
    }
}
