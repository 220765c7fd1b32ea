internal import BLETerminal

extension ChatScreen {
    /// Draws the chat that is open.
    ///
    /// - Returns: what follows from the user seeing it.
    mutating func drawChat(on screen: inout Screen, in area: Area) -> [Action] {
        guard !area.columns.isEmpty, !area.rows.isEmpty else { return [] }
        guard let person = chat?.person else {
            let text = "Choose somebody in the list: Enter opens the chat."
            for (row, text) in zip(area.rows, ShownText.rows(text, width: area.columns.count)) {
                screen.writeBar(text, inRow: row, of: area, .plain)
            }
            return []
        }
        var rest = area
        let top = topRows(person, width: area.columns.count)
        let topArea = rest.takeTop(min(top.count, area.rows.count / 2))
        for (row, text) in zip(topArea.rows, top) {
            screen.writeBar(text, inRow: row, of: area, text.spans.first?.style ?? .plain)
        }
        chat?.resize(rest.size)
        if let chat, chat.height < rest.rows.count {
            drawBottom(on: &screen, in: rest.takeBottom(1))
        }
        for (number, row) in zip(rest.rows, chat?.visibleRows() ?? []) {
            let start = Position(row: number, column: area.columns.lowerBound)
            screen.write(row, at: start, width: area.columns.count)
        }
        if chat?.isLoaded == true, chat?.messages.isEmpty == true, let row = rest.rows.first {
            let text = StyledRow("No messages yet.".fitted(area.columns.count), Look.faint)
            screen.writeBar(text, inRow: row, of: area, .plain)
        }
        return chat?.seen() ?? []
    }

    private func drawBottom(on screen: inout Screen, in area: Area) {
        guard let row = area.rows.first, let chat else { return }
        let new = chat.newCount
        let text = (new > 0 ? " ↓ \(new) new " : " ↓ more ").fitted(area.columns.count)
        let indent = max(0, area.columns.count - text.displayWidth)
        let start = Position(row: row, column: area.columns.lowerBound + indent)
        screen.write(text, at: start, new > 0 ? Look.unread : Look.faint)
    }

    /// Who it is, and what one should know.
    private func topRows(_ person: Person, width: Int) -> [StyledRow] {
        var heading = StyledRow("\(person.marks) ", Look.bar)
        if person.hasChangedKey { heading.append(" NEW KEY ", Look.loud) }
        heading.append(person.shownName(max(8, width / 2 - heading.width)), Look.bar)
        // At the right, where no name gets to.
        let facts = person.facts.fitted(width - heading.width - 2)
        let space = max(0, width - heading.width - facts.displayWidth)
        heading.append(String(repeating: " ", count: space) + facts, Look.bar)
        var rows = [heading]
        if person.hasChangedKey {
            rows += ShownText.rows(
                "WARNING: this is another key than before. It may be somebody else: /verify, or /block.",
                width: width,
                Look.loud
            )
        }
        if let text = person.hint { rows += ShownText.rows(text, width: width, Look.notice) }
        return rows
    }
}

extension Person {
    /// What is true of the person now; first what matters most.
    fileprivate var facts: String {
        var facts: [String] = []
        if isOriginal { facts.append("NOT ENCRYPTED") }
        if isTyping { facts.append("typing…") }
        facts.append(isChatting ? "chat is on" : isNear ? "near" : "away")
        if isVerified { facts.append("verified") }
        if let signalStrength, isNear { facts.append("\(signalStrength) dBm") }
        return facts.joined(separator: ", ")
    }

    /// What can be done about somebody who is no friend.
    fileprivate var hint: String? {
        switch kind {
        case .requestReceived: "Asks to be friends: /add accepts, /remove refuses."
        case .requested: "Was asked to be friends, and has not answered yet."
        case .stranger: isOriginal ? nil : "No friend: /add asks."
        case .blocked: "Blocked: /unblock ends that."
        case .friend: nil
        }
    }
}
