internal import BLETerminal

/// A message as rows of a chat.
///
/// ```
/// ▌ Will it rain?  14:02
///            It is certain  14:03 read ▐
/// ```
enum MessageLayout {
    /// The rows of a message.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - width: how many cells the chat has.
    /// - Returns: at least one row.
    static func rows(_ message: Message, width: Int) -> [StyledRow] {
        // A bubble is narrower than the chat, where there is room.
        let widest = max(1, (width < 40 ? width : width * 3 / 4) - 2)
        var body = body(message, width: widest)
        let facts = facts(message)
        if let last = body.last, last.width + 2 + facts.displayWidth <= widest {
            var row = last
            row.append("  ")
            row.append(facts, look(message))
            body[body.count - 1] = row
        } else {
            body += ShownText.rows(facts, width: widest, look(message))
        }
        guard message.isOwn else {
            return body.map { row in
                var bubble = StyledRow("▌ ", Look.others)
                bubble.append(row)
                return bubble
            }
        }
        let bubbleWidth = body.map(\.width).max() ?? 0
        return body.map { row in
            var bubble = row.indented(width - bubbleWidth - 2)
            bubble.append(String(repeating: " ", count: bubbleWidth - row.width))
            bubble.append(" ▐", Look.own)
            return bubble
        }
    }

    private static func body(_ message: Message, width: Int) -> [StyledRow] {
        if message.isDeleted {
            return ShownText.rows("(deleted)", width: width, Look.faint)
        }
        var rows: [StyledRow] = []
        if let file = message.file {
            let name = file.name.fitted(60)
            let text = "[file] \(name), \(byteCount(file.byteCount))"
            rows = ShownText.rows(text, width: width, Look.strong)
        }
        if !message.text.isEmpty { rows += ShownText.rows(message.text, width: width) }
        return rows
    }

    /// When it was written, and what became of it.
    private static func facts(_ message: Message) -> String {
        var facts = [message.time.fitted(20)]
        if message.isEdited, !message.isDeleted { facts.append("edited") }
        if message.isOwn, !message.isDeleted, let state = message.state {
            facts.append(word(state))
        }
        return facts.filter { !$0.isEmpty }.joined(separator: " ")
    }

    private static func word(_ state: Message.State) -> String {
        switch state {
        case .waiting: "waiting"
        case .sending: "sending"
        case .sent: "sent"
        case .delivered: "delivered"
        case .read: "read"
        case .failed(let reason): "FAILED: \(reason.fitted(200))"
        }
    }

    private static func look(_ message: Message) -> Style {
        message.hasFailed ? Look.failed : Look.faint
    }

    private static func byteCount(_ count: Int) -> String {
        let (whole, rest) = count.quotientAndRemainder(dividingBy: 1_024)
        return count < 1_024 ? "\(count) bytes" : "\(whole + (rest > 0 ? 1 : 0)) KiB"
    }
}
