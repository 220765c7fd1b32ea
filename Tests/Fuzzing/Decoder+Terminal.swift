import BLETerminal

/// What a terminal sends, in parts of any size, into an editor; and text of others that is to be shown.
@Sendable func decodeTerminal(_ input: UnsafeRawBufferPointer) {
    var source = ByteSource(input)
    guard source.byte() % 2 == 0 else {
        return decodeText(String(decoding: source.rest(), as: UTF8.self))
    }
    var parser = KeyParser(pasteLimitBytes: 64)
    var editor = LineEditor(
        size: Size(columns: 1 + source.number(below: 20), rows: 1 + source.number(below: 4)),
        limit: TextLimit(40)
    )
    func take(_ inputs: [Input]) {
        for input in inputs {
            guard let edit = Edit(input) else { continue }
            editor.apply(edit)
            precondition(editor.text.count <= 40, "there is more text than may be")
            precondition(editor.visibleRows.count <= editor.size.rows)
            precondition(editor.cursor.row < editor.size.rows)
            precondition(editor.cursor.column <= editor.size.columns)
        }
    }
    while !source.isEmpty {
        switch source.number(below: 6) {
        case 0: take(parser.timeOut())
        case 1:
            editor.size = Size(
                columns: 1 + source.number(below: 20),
                rows: 1 + source.number(below: 4)
            )
        default: take(parser.receive(source.text()))
        }
    }
    take(parser.timeOut())
}

private func decodeText(_ text: String) {
    let shown = SafeText.visible(text)
    for scalar in shown.unicodeScalars where scalar != "\n" {
        precondition(scalar.properties.generalCategory != .control, "a terminal would obey")
    }
    precondition(SafeText.visible(shown) == shown, "what is safe is changed again")
    for width in [2, 7, 40] {
        for line in TextWrap.lines(of: shown, width: width) {
            precondition(line.displayWidth <= width, "a line is too wide")
        }
    }
    for link in WebLinks.find(in: shown) { precondition(!shown[link.range].isEmpty) }
}
