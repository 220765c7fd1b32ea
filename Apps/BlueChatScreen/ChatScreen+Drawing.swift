package import BLETerminal

extension ChatScreen {
    /// Draws all of it, in the size that the screen has.
    ///
    /// - Parameter screen: where it is drawn; what was there goes.
    /// - Returns: what the program is to do as the user sees this now.
    package mutating func draw(on screen: inout Screen) -> [Action] {
        size = screen.size
        screen.clear(rows: 0..<size.rows)
        screen.cursor = nil
        // What is asked is seen until it is answered, also when a page has come meanwhile.
        guard page == nil || question != nil else {
            drawPage(on: &screen)
            return []
        }
        let notices = noticeRows()
        let prompt = prompt
        fitEditor(Size(columns: size.columns - prompt.width, rows: Frame.inputLimit(size)))
        let showsList = focus == .list || chat == nil
        let frame = Frame(
            size,
            showsList: showsList,
            // Nothing is written while something is asked, which is seen even where there is one row.
            inputRows: question != nil && size.rows < 2 ? 0 : editor.rowCount,
            noticeRows: notices.count
        )
        draw(statusRow, on: &screen, in: frame.status, Look.bar)
        list.draw(on: &screen, in: frame.list, isFocused: showsList, openID: chat?.person.id)
        for row in frame.divider.rows where !frame.divider.columns.isEmpty {
            let start = Position(row: row, column: frame.divider.columns.lowerBound)
            screen.write("│", at: start, Look.faint)
        }
        for (row, notice) in zip(frame.notices.rows, notices) {
            screen.write(notice, at: Position(row: row, column: 0), width: size.columns)
        }
        drawInput(on: &screen, in: frame.input, prompt)
        drawKeys(on: &screen, in: frame.keys)
        return drawChat(on: &screen, in: frame.chat)
    }

    /// What is written into.
    private var editor: LineEditor {
        focus == .chat ? chat?.editor ?? listEditor : listEditor
    }

    private mutating func fitEditor(_ size: Size) {
        guard editor.size != size else { return }
        if focus == .chat, chat != nil { chat?.editor.size = size } else { listEditor.size = size }
    }

    private func draw(_ row: StyledRow, on screen: inout Screen, in area: Area, _ style: Style) {
        guard let number = area.rows.first else { return }
        screen.writeBar(row, inRow: number, of: area, style)
    }

    private mutating func drawPage(on screen: inout Screen) {
        var rest = Area(rows: 0..<size.rows, columns: 0..<size.columns)
        let keys = rest.takeBottom(size.rows >= 3 ? 1 : 0)
        let title = rest.takeTop(size.rows >= 2 ? 1 : 0)
        let text = StyledRow((page?.page.title ?? "").fitted(size.columns), Look.bar)
        draw(text, on: &screen, in: title, Look.bar)
        page?.draw(on: &screen, in: rest)
        drawKeys(on: &screen, in: keys)
    }

    private var prompt: StyledRow {
        let isChat = focus == .chat && chat != nil
        guard size.columns >= 30 else { return StyledRow("> ", Look.key) }
        let name = chat?.person.shownName(16) ?? ""
        let word = listEditor.text.hasPrefix("/") ? "command" : "find"
        return StyledRow((isChat ? name : word) + "> ", Look.key)
    }

    private func drawInput(on screen: inout Screen, in area: Area, _ prompt: StyledRow) {
        guard let first = area.rows.first else { return }
        let (rows, cursor) = (editor.visibleRows, editor.cursor)
        let start = prompt.width
        screen.write(prompt, at: Position(row: first, column: 0), width: size.columns)
        for (row, text) in zip(area.rows, rows) {
            screen.write(text, at: Position(row: row, column: start))
        }
        guard question == nil else { return }
        screen.cursor = Position(row: first + cursor.row, column: start + cursor.column)
    }

    /// What is asked or said above the input.
    private func noticeRows() -> [StyledRow] {
        let width = max(1, size.columns)
        var rows: [StyledRow] = []
        if let question { rows += ShownText.rows(question.text, width: width, Look.loud) }
        if let warning = warnings.first {
            let more = warnings.count > 1 ? " (\(warnings.count - 1) more)" : ""
            let text = "WARNING: \(warning.fitted(1_000))\(more)"
            rows += ShownText.rows(text, width: width, Look.loud)
        }
        if let notice { rows += ShownText.rows(notice.fitted(1_000), width: width, Look.notice) }
        return rows
    }

    /// The row at the top.
    private var statusRow: StyledRow {
        let unread = list.unreadCount(without: focus == .chat ? chat?.person.id : nil)
        let radio = radioState.map { " ! \($0.fitted(max(10, min(60, size.columns - 4)))) " } ?? ""
        var right = StyledRow()
        let news = " \(unread) unread "
        if unread > 0, news.count + radio.displayWidth < size.columns {
            right.append(news, Look.bar)
        }
        right.append(radio, Look.loud)
        let space = size.columns - right.width
        var left = "bluechat"
        if !ownName.isEmpty { left += "  \(ownName.fitted(24))" }
        if !ownKey.isEmpty, space >= 60 { left += "  key \(ownKey.fitted(space - 40))" }
        var row = StyledRow(left.fitted(max(0, space)), Look.bar)
        row.append(String(repeating: " ", count: max(0, space - row.width)), Look.bar)
        row.append(right)
        return row
    }
}
