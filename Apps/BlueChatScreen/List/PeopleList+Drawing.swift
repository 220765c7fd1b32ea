internal import BLETerminal

extension PeopleList {
    /// Draws the rows that are seen, and lays out no others.
    ///
    /// - Parameters:
    ///   - screen: where it is drawn.
    ///   - area: in which part of it.
    ///   - isFocused: whether the keys are for the list.
    ///   - openID: whose chat is open.
    mutating func draw(on screen: inout Screen, in area: Area, isFocused: Bool, openID: String?) {
        scroll(height: area.rows.count)
        let width = area.columns.count
        if rows.isEmpty, let row = area.rows.first {
            let text = filter.isEmpty ? "Nobody yet. /who looks." : "No such name."
            let start = Position(row: row, column: area.columns.lowerBound)
            screen.write(text.fitted(width), at: start, Look.faint)
        }
        for (number, row) in zip(area.rows, rows[top...]) {
            switch row {
            case .heading(let kind, let count):
                let text = StyledRow("\(kind.heading) \(count)".fitted(width), Look.faint)
                screen.writeBar(text, inRow: number, of: area, .plain)
            case .person(let index):
                let person = people[index]
                let isSelected = isFocused && person.id == selected?.id
                let text = Self.row(
                    person,
                    width: width,
                    mark: isSelected ? ">" : person.id == openID ? "-" : " ",
                    isSelected ? Look.bar : .plain
                )
                screen.writeBar(text, inRow: number, of: area, isSelected ? Look.bar : .plain)
            }
        }
    }

    /// A row: mark, presence, whether verified, name, last text, and at the right what is new.
    ///
    /// What a name could imitate stands before it.
    static func row(_ person: Person, width: Int, mark: String, _ style: Style) -> StyledRow {
        func look(_ look: Style) -> Style {
            var look = look
            look.attributes.formUnion(style.attributes)
            return look
        }
        // The name comes first, where there is no room for both.
        var right = right(person)
        if width - right.displayWidth < 13 { right = "" }
        let end = width - (right.isEmpty ? 0 : right.displayWidth + 1)
        var row = StyledRow(mark, style)
        row.append(person.marks + " ", look(person.isNear ? Look.near : Look.faint))
        if person.hasChangedKey { row.append("!KEY ", look(Look.loud)) }
        let isStrong = person.unreadCount > 0 || mark == "-"
        let name = person.shownName(max(0, end - row.width))
        row.append(name, isStrong ? look(Look.strong) : style)
        let rest = end - row.width - 2
        if rest > 2, let text = person.isTyping ? "typing…" : person.lastText {
            row.append("  " + text.fitted(rest), look(Look.faint))
        }
        row.append(String(repeating: " ", count: max(0, end - row.width)), style)
        guard !right.isEmpty else { return row }
        row.append(" ", style)
        row.append(right, look(person.unreadCount > 0 ? Look.unread : Look.faint))
        return row
    }

    private static func right(_ person: Person) -> String {
        if person.unreadCount > 0 {
            return person.unreadCount > 999 ? "(999+)" : "(\(person.unreadCount))"
        }
        guard person.kind == .stranger, let signalStrength = person.signalStrength else {
            return ""
        }
        return "\(signalStrength)"
    }
}

extension Person {
    /// Two characters: whether a chat is on, or the person is near; and whether the keys were compared.
    var marks: String { (isChatting ? "◉" : isNear ? "●" : "·") + (isVerified ? "✓" : " ") }
}

extension Person.Kind {
    /// What stands above the people of a kind.
    var heading: String {
        switch self {
        case .requestReceived: "Ask to be friends"
        case .friend: "Friends"
        case .requested: "Asked by you"
        case .stranger: "Nearby"
        case .blocked: "Blocked"
        }
    }
}
