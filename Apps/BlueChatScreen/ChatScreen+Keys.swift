internal import BLETerminal

extension ChatScreen {
    /// Draws the keys that work now, and how much may still be written.
    func drawKeys(on screen: inout Screen, in area: Area) {
        guard let number = area.rows.first else { return }
        let width = area.columns.count
        let rest = restRow ?? StyledRow()
        var row = StyledRow()
        for (key, meaning) in keys {
            let isFirst = row.width == 0
            let need = key.displayWidth + 1 + meaning.displayWidth + (isFirst ? 0 : 2)
            guard row.width + need + (rest.width > 0 ? rest.width + 1 : 0) <= width else { break }
            if !isFirst { row.append("  ") }
            row.append(key, Look.key)
            row.append(" " + meaning, Look.faint)
        }
        screen.writeBar(row, inRow: number, of: area, .plain)
        let column = max(0, width - rest.width)
        screen.write(rest, at: Position(row: number, column: column), width: width)
    }

    /// The keys, those first that are needed most.
    private var keys: [(key: String, meaning: String)] {
        if question != nil { return [("y", "yes"), ("n", "no")] }
        if page != nil { return [("Esc", "back"), ("↑↓", "scroll"), ("PgUp PgDn", "by pages")] }
        let last = [("F1", "help"), ("Ctrl-C", "quit")]
        let isSaying = notice != nil || !warnings.isEmpty
        guard focus == .chat, let chat else {
            guard listEditor.text.isEmpty else {
                let meaning = listEditor.text.hasPrefix("/") ? "do it" : "open"
                return [("Enter", meaning), ("Esc", isSaying ? "ok" : "clear")] + last
            }
            var keys = [("Enter", "open"), ("↑↓", "choose")]
            if self.chat != nil { keys.append(("Tab", "chat")) }
            return keys + [("a-z", "find"), ("/", "command")] + last
        }
        var keys = [("Enter", chat.editor.text.hasPrefix("/") ? "do it" : "send")]
        let isScrolled = chat.end != .newest
        keys.append(("Esc", isSaying ? "ok" : isScrolled ? "newest" : "list"))
        if chat.messages.contains(where: \.hasFailed) { keys.append(("Ctrl-R", "send again")) }
        keys.append(("PgUp", "scroll"))
        if !chat.person.isOriginal { keys.append(("Ctrl-J", "new line")) }
        return keys + last + [("Alt-↑↓", "other chat")]
    }

    /// How much may still be written, where that matters.
    private var restRow: StyledRow? {
        guard focus == .chat, page == nil, question == nil, let chat else { return nil }
        guard let text = Entry.sentText(of: chat.editor.text) else { return nil }
        let limit = SendLimit(isOriginal: chat.person.isOriginal)
        let rest = limit.rest(of: text)
        guard limit.isShown(rest) else { return nil }
        return rest < 0
            ? StyledRow("\(-rest) too many", Look.failed)
            : StyledRow("\(rest) left", rest < 20 ? Look.unread : Look.faint)
    }
}
