internal import BLETerminal

extension OpenChat {
    /// The rows that are seen, from the top.
    mutating func visibleRows() -> [StyledRow] {
        var rows: [StyledRow] = []
        var (index, below) = lastRow
        while index >= 0, rows.count < height {
            let message = self.rows(at: index)
            let part = message.dropLast(below)
            rows = Array(part.suffix(height - rows.count)) + rows
            (index, below) = (index - 1, 0)
        }
        return rows
    }

    /// Whether the first row of all is seen.
    var isAtStart: Bool {
        mutating get {
            var (index, below) = lastRow
            var count = 0
            while index >= 0, count <= height {
                count += rows(at: index).count - below
                (index, below) = (index - 1, 0)
            }
            return index < 0 && count <= height
        }
    }

    /// Scrolls down, or up by a negative count, as far as there are rows.
    mutating func scroll(by count: Int) {
        guard !messages.isEmpty else { return }
        var (index, below) = lastRow
        below -= count
        while below < 0 {
            guard index + 1 < messages.count else { return end = .newest }
            index += 1
            below += rows(at: index).count
        }
        while below >= rows(at: index).count, index > 0 {
            below -= rows(at: index).count
            index -= 1
        }
        set(index, min(below, rows(at: index).count - 1))
    }

    mutating func scrollToStart() {
        guard !messages.isEmpty else { return }
        set(0, rows(at: 0).count - 1)
    }

    mutating func scrollToEnd() { end = .newest }

    /// Sees that no row above the first one, or below the last one, would be seen.
    mutating func settle() {
        guard case .row(_, let index, let below) = end, index >= 0 else { return end = .newest }
        set(index, min(below, rows(at: index).count - 1))
    }

    /// The message of the last row that is seen, and how many rows of it are below.
    private var lastRow: (index: Int, below: Int) {
        switch end {
        case .newest: (messages.count - 1, 0)
        case .row(_, let index, let below): (index, below)
        }
    }

    private mutating func set(_ index: Int, _ below: Int) {
        end = .row(of: messages[index].id, index: index, below: below)
        if isAtStart {
            // As many rows as there is room for, from the first one on; perhaps that is all.
            let (last, rest) = lastRow(ofFirst: size.rows)
            if last == messages.count - 1, rest == 0 { return end = .newest }
            let (index, below) = lastRow(ofFirst: height)
            end = .row(of: messages[index].id, index: index, below: below)
        } else if index == messages.count - 1, below == 0 {
            end = .newest
        }
    }

    /// The message of the last one of some rows from the start, and how many rows of it are below.
    private mutating func lastRow(ofFirst count: Int) -> (index: Int, below: Int) {
        var rest = count
        for index in messages.indices {
            rest -= rows(at: index).count
            if rest <= 0 { return (index, -rest) }
        }
        return (messages.count - 1, 0)
    }

    /// The rows of a message, with what stands above it.
    private mutating func rows(at index: Int) -> [StyledRow] {
        let message = messages[index]
        let rows = layouts.rows(message, width: size.columns)
        var above: [StyledRow] = []
        if index == 0, hasEarlier {
            above.append(rule(isFull ? "the newest \(messages.count): /search finds others" : "…"))
        }
        let isNewDay = index == 0 || messages[index - 1].day != message.day
        if isNewDay, !message.day.isEmpty { above.append(rule(message.day)) }
        if message.id == firstUnreadID { above.append(rule("new")) }
        return above + rows
    }

    /// A line in the middle, between messages.
    private func rule(_ text: String) -> StyledRow {
        let text = "── \(text.fitted(max(1, size.columns - 6))) ──".fitted(size.columns)
        return StyledRow(text, Look.faint).indented((size.columns - text.displayWidth) / 2)
    }
}
