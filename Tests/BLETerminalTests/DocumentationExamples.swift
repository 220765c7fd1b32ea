import BLETerminal
import Testing

/// The examples of the documentation, so that they stay true.
@Suite("The examples in the documentation")
struct DocumentationExamples {
    @Test func `of wrapping`() {
        #expect(
            TextWrap.lines(of: "It is decidedly so", width: 10) == ["It is", "decidedly", "so"]
        )
    }

    @Test func `of keys`() {
        var parser = KeyParser()
        #expect(parser.receive([0x1B, 0x5B, 0x41]) == [.key(Key(.up))])
    }

    @Test func `of the line editor`() {
        var editor = LineEditor(
            size: Size(columns: 40, rows: 3),
            limit: TextLimit(140) { $0.utf16.count }
        )
        editor.apply(.insert("Will it rain?"))
        #expect(editor.visibleRows == ["Will it rain?"])
    }

    @Test func `of a screen`() {
        var screen = Screen(Size(columns: 4, rows: 2))
        screen.write("Bob", at: Position(row: 0, column: 0), Style(.green, .bold))
        screen.cursor = Position(row: 1, column: 0)
        #expect(screen.text(ofRow: 0) == "Bob ")
    }

    /// Compiled only, as the tests have no terminal.
    ///
    /// `terminal-example` does the same in one.
    func landingPage() async throws -> String {
        let text = try await TerminalSession.run { session in
            var editor = LineEditor(size: session.size)
            for await event in session.events {
                switch event {
                case .input(.key(Key(.enter))): return editor.enter()
                case .input(let input): if let edit = Edit(input) { editor.apply(edit) }
                case .resized(let size), .resumed(let size): editor.size = size
                case .terminated, .ended: return ""
                }
                var screen = Screen(session.size)
                for (row, text) in editor.visibleRows.enumerated() {
                    screen.write(text, at: Position(row: row, column: 0))
                }
                screen.cursor = editor.cursor
                try await session.draw(screen)
            }
            return ""
        }
        return text
    }
}
