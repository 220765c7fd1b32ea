import BLETerminal
@testable import BlueChatScreen

extension ChatScreen {
    /// What a terminal of a size shows, without the spaces at the ends of its rows.
    mutating func rows(_ columns: Int, _ rows: Int) -> [String] {
        drawn(columns, rows).trimmedRows
    }

    /// The screen as it is drawn.
    mutating func drawn(_ columns: Int, _ rows: Int) -> Screen {
        var screen = Screen(Size(columns: columns, rows: rows))
        _ = draw(on: &screen)
        return screen
    }

    /// What the program is told when it draws.
    mutating func actions(_ columns: Int = 80, _ rows: Int = 24) -> [Action] {
        var screen = Screen(Size(columns: columns, rows: rows))
        return draw(on: &screen)
    }

    /// Presses a key some times.
    @discardableResult
    mutating func press(
        _ code: Key.Code,
        _ modifiers: Key.Modifiers = [],
        times: Int = 1
    ) -> [Action] {
        (0..<times).flatMap { _ in handle(.key(Key(code, modifiers))) }
    }

    /// Types a text, key by key.
    @discardableResult
    mutating func type(_ text: String) -> [Action] {
        text.unicodeScalars.flatMap { handle(.key(Key(Character($0)))) }
    }

    /// Types a text and Enter.
    @discardableResult
    mutating func enter(_ text: String) -> [Action] {
        type(text) + press(.enter)
    }

    /// What stands in the input.
    var written: String { focus == .chat ? chat?.editor.text ?? "" : listEditor.text }
}

extension Screen {
    var trimmedRows: [String] {
        (0..<size.rows).map { row in
            var text = text(ofRow: row)
            while text.last == " " { text.removeLast() }
            return text
        }
    }

    /// What no row may have: too many or too few cells, or anything that a terminal obeys.
    var faults: [String] {
        (0..<size.rows).flatMap { row -> [String] in
            var faults: [String] = []
            var column = 0
            while column < size.columns {
                guard let character = self[row, column].character else {
                    faults.append("half a character at \(row), \(column)")
                    column += 1
                    continue
                }
                if !(1...2).contains(character.displayWidth) { faults.append("\(row), \(column)") }
                if character.unicodeScalars.count > 99 { faults.append("a tower in \(row)") }
                for scalar in character.unicodeScalars where scalar.isObeyed {
                    faults.append("U+\(String(scalar.value, radix: 16)) in \(row)")
                }
                column += max(1, character.displayWidth)
            }
            if column != size.columns { faults.append("row \(row) ends at \(column)") }
            return faults
        }
    }
}

extension Unicode.Scalar {
    /// Whether a terminal does something with it, or draws what is around it in another order.
    fileprivate var isObeyed: Bool {
        properties.generalCategory == .control
            || [0x202A...0x202E, 0x2066...0x2069, 0x200E...0x200F].contains { $0.contains(value) }
    }
}
