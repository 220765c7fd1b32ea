@testable import BLETerminal
import Testing

extension LineEditor {
    /// Does something that it can.
    fileprivate mutating func accepts(_ edit: Edit, at place: SourceLocation = #_sourceLocation) {
        let could = apply(edit)
        #expect(could, sourceLocation: place)
    }

    /// Does something that it can't, or not wholly.
    fileprivate mutating func refuses(_ edit: Edit, at place: SourceLocation = #_sourceLocation) {
        let could = apply(edit)
        #expect(!could, sourceLocation: place)
    }
}

@Suite("The line editor")
struct LineEditorTests {
    private func editor(_ edits: Edit..., columns: Int = 20, rows: Int = 3) -> LineEditor {
        var editor = LineEditor(size: Size(columns: columns, rows: rows))
        for edit in edits { editor.apply(edit) }
        return editor
    }

    @Test func `inserts and deletes characters, not scalars`() {
        let family = editor(.insert("a👩‍👩‍👧b"), .move(.backward), .delete(.backward))
        #expect(family.text == "ab")
        #expect(family.cursor == Position(row: 0, column: 1))
        let flag = editor(.insert("🇩🇪"), .move(.backward), .delete(.forward))
        #expect(flag.text == "")
    }

    @Test func `joins what is typed in parts`() {
        let hand = editor(.insert("👋"), .insert("🏽"))
        #expect(hand.content.characters == ["👋🏽"])
        #expect(hand.cursor == Position(row: 0, column: 2))
        let accent = editor(.insert("ex"), .move(.backward), .insert("\u{301}"))
        #expect(accent.content.characters == ["é", "x"])
        #expect(accent.content.cursor == 1)
        var flags = editor(.insert("🇩🇪🇩🇪"), .moveText(.backward), .insert("🇪"))
        #expect(flags.text == "🇪🇩🇪🇩🇪")
        #expect(flags.content.characters == ["🇪🇩", "🇪🇩", "🇪"])
        flags.apply(.undo)
        #expect(flags.text == "🇩🇪🇩🇪")
    }

    @Test func `moves by words and lines`() {
        var editor = editor(.insert("one two_2, 漢字\nlast"))
        editor.apply(.moveWord(.backward))
        #expect(editor.content.cursor == 14)
        editor.apply(.moveWord(.backward))
        #expect(editor.content.cursor == 11)
        editor.apply(.moveWord(.backward))
        #expect(editor.content.cursor == 4)
        editor.apply(.moveWord(.forward))
        #expect(editor.content.cursor == 9)
        editor.apply(.moveLine(.forward))
        #expect(editor.content.cursor == 13)
        editor.apply(.moveLine(.backward))
        #expect(editor.content.cursor == 0)
        editor.refuses(.moveLine(.backward))
        editor.apply(.moveText(.forward))
        #expect(editor.content.cursor == 18)
        editor.refuses(.moveWord(.forward))
    }

    @Test func `cuts and yanks`() {
        var editor = editor(.insert("one two three"), .killWord(.backward), .killWord(.backward))
        #expect(editor.text == "one ")
        editor.apply(.moveText(.backward))
        editor.apply(.yank)
        #expect(editor.text == "two threeone ")
        editor.apply(.killLine(.forward))
        editor.apply(.killLine(.backward))
        #expect(editor.text.isEmpty)
        editor.apply(.yank)
        #expect(editor.text == "two threeone ")
        var lines = self.editor(.insert("a\nb"), .killLine(.backward), .killLine(.backward))
        #expect(lines.text == "a")
        lines.apply(.yank)
        #expect(lines.text == "a\nb")
    }

    @Test func `takes back words, and makes them again`() {
        var editor = editor()
        for character in "one two" { editor.apply(.insert(String(character))) }
        editor.apply(.killWord(.backward))
        editor.accepts(.undo)
        #expect(editor.text == "one two")
        editor.apply(.undo)
        #expect(editor.text == "one")
        editor.apply(.undo)
        #expect(editor.text == "")
        editor.refuses(.undo)
        editor.apply(.redo)
        editor.apply(.redo)
        #expect(editor.text == "one two")
        editor.apply(.insert("!"))
        editor.refuses(.redo)
    }

    @Test func `moves up and down in the column`() {
        var editor = editor(.insert("abcdef\n漢字\nabcdef"), columns: 10)
        editor.apply(.move(.backward))
        #expect(editor.cursor == Position(row: 2, column: 5))
        editor.apply(.moveRow(.backward))
        #expect(editor.cursor == Position(row: 1, column: 4))
        editor.apply(.moveRow(.backward))
        #expect(editor.cursor == Position(row: 0, column: 5))
        editor.apply(.move(.backward))
        editor.apply(.move(.backward))
        editor.apply(.moveRow(.forward))
        #expect(editor.cursor == Position(row: 1, column: 2))
        editor.apply(.moveRow(.forward))
        #expect(editor.cursor == Position(row: 2, column: 3))
    }

    @Test func `goes through what was entered before, and back to the draft`() {
        var editor = LineEditor(size: Size(columns: 20, rows: 3), history: ["one", "two"])
        editor.apply(.insert("draft"))
        editor.apply(.moveRow(.backward))
        #expect(editor.text == "two")
        editor.apply(.moveRow(.backward))
        #expect(editor.text == "one")
        editor.refuses(.moveRow(.backward))
        editor.apply(.moveRow(.forward))
        editor.apply(.moveRow(.forward))
        #expect(editor.text == "draft")
        editor.refuses(.moveRow(.forward))
        let entered = editor.enter()
        #expect(entered == "draft")
        #expect(editor.text.isEmpty)
        editor.apply(.insert("draft"))
        _ = editor.enter()
        #expect(editor.entered == ["one", "two", "draft"])
        var short = LineEditor(size: Size(columns: 20, rows: 3), historyLimit: 2)
        for text in ["a", "b", "c"] {
            short.text = text
            _ = short.enter()
        }
        #expect(short.entered == ["b", "c"])
    }

    @Test func `wraps and scrolls so that the cursor is seen`() {
        var editor = editor(.insert("one two three four five"), columns: 9, rows: 2)
        #expect(editor.rowCount == 4)
        #expect(editor.visibleRows == ["four five", ""])
        editor.apply(.moveText(.backward))
        #expect(editor.visibleRows == ["one two ", "three "])
        #expect(editor.cursor == Position(row: 0, column: 0))
        editor.size = Size(columns: 40, rows: 2)
        #expect(editor.visibleRows == ["one two three four five"])
    }

    @Test func `shows the cursor behind a full row in the next one`() {
        let full = editor(.insert("abcd"), columns: 4)
        #expect(full.visibleRows == ["abcd", ""])
        #expect(full.cursor == Position(row: 1, column: 0))
        let spaces = editor(.insert("abcd    "), columns: 4)
        #expect(spaces.cursor == Position(row: 2, column: 0))
        let none = editor(.insert("漢"), columns: 0, rows: 0)
        #expect(none.visibleRows.count == 1)
        #expect(none.cursor == Position(row: 0, column: 0))
    }

    @Test func `counts as its receiver does, and takes what fits`() {
        let limit = TextLimit(8) { $0.utf8.count }
        var editor = LineEditor(size: Size(columns: 20, rows: 3), limit: limit)
        #expect(editor.remaining == 8)
        editor.accepts(.insert("Hi 👋"))
        #expect(editor.remaining == 1)
        editor.refuses(.insert("é"))
        editor.refuses(.insert("ab"))
        #expect(editor.text == "Hi 👋a")
        #expect(editor.remaining == 0)
        editor.text = "far too long"
        #expect(editor.remaining == -4)
        editor.refuses(.insert("x"))
        editor.accepts(.delete(.backward))
    }

    @Test func `takes no control characters`() {
        let text = editor(.insert("a\u{1B}[31m\tb\r\nc\u{7}\rd")).text
        #expect(text == "a[31m    b\nc\nd")
        var full = LineEditor(size: Size(columns: 20, rows: 3), limit: TextLimit(1))
        full.accepts(.insert("a\u{7}"))
        full.accepts(.insert("\u{7}"))
        full.refuses(.insert("b\u{7}"))
    }

    @Test(
        arguments: [
            (Key("a"), .insert("a")), (Key("a", .control), .moveLine(.backward)),
            (Key("z", .control), nil), (Key("b", .alt), .moveWord(.backward)),
            (Key("x", .alt), nil),
            (Key("a", [.control, .alt]), nil), (Key(.left), .move(.backward)),
            (Key(.right, .control), .moveWord(.forward)),
            (Key(.home, .control), .moveText(.backward)),
            (Key(.enter), nil), (Key(.enter, .alt), .insert("\n")),
            (Key("j", .control), .insert("\n")),
            (Key(.backspace, .alt), .killWord(.backward)), (Key(.delete), .delete(.forward)),
            (Key(.tab), nil), (Key(.escape), nil), (Key(.function(1)), nil),
        ] as [(Key, Edit?)]
    )
    func `is moved by the usual keys`(key: Key, edit: Edit?) {
        #expect(Edit(.key(key)) == edit)
    }

    @Test func `inserts what is pasted`() {
        #expect(Edit(.paste(Paste("a\nb"))) == .insert("a\nb"))
    }
}
