import BLETerminal
import Testing

@Suite("A screen")
struct ScreenTests {
    private func screen(_ columns: Int, _ texts: (String, Int)...) -> Screen {
        var screen = Screen(Size(columns: columns, rows: 1))
        for (text, column) in texts { screen.write(text, at: Position(row: 0, column: column)) }
        return screen
    }

    @Test func `has what was written`() {
        #expect(screen(8, ("Hi 👋!", 1)).text(ofRow: 0) == " Hi 👋! ")
        #expect(screen(4, ("a", 0))[0, 0].character == "a")
        #expect(screen(4, ("漢", 0))[0, 1].character == nil)
    }

    @Test func `cuts at its edges`() {
        #expect(screen(4, ("abcdef", 0)).text(ofRow: 0) == "abcd")
        #expect(screen(4, ("abcdef", -2)).text(ofRow: 0) == "cdef")
        #expect(screen(4, ("abc", 9)).text(ofRow: 0) == "    ")
        #expect(screen(3, ("漢字", 0)).text(ofRow: 0) == "漢 ")
        #expect(screen(3, ("漢字", -1)).text(ofRow: 0) == " 字")
        #expect(screen(1, ("漢", 0)).text(ofRow: 0) == " ")
        var small = Screen(Size(columns: 2, rows: 1))
        small.write("abc", at: Position(row: 1, column: 0))
        small.write("abc", at: Position(row: -1, column: 0))
        #expect(small == Screen(small.size))
        #expect(Screen(Size(columns: -1, rows: -1)).size == Size(columns: 0, rows: 0))
    }

    @Test func `leaves no half of a character`() {
        #expect(screen(4, ("漢字", 0), ("x", 1)).text(ofRow: 0) == " x字")
        #expect(screen(4, ("漢字", 0), ("x", 2)).text(ofRow: 0) == "漢x ")
        #expect(screen(4, ("漢字", 0), ("한", 1)).text(ofRow: 0) == " 한 ")
        var cleared = screen(4, ("漢字", 0))
        cleared.clear(rows: 0..<9, columns: 1..<3)
        #expect(cleared.text(ofRow: 0) == "    ")
    }

    @Test func `has a width for what is written, and says where it ends`() {
        var screen = Screen(Size(columns: 10, rows: 1))
        #expect(screen.write("abcdef", at: Position(row: 0, column: 1), width: 3) == 4)
        #expect(screen.write("漢字", at: Position(row: 0, column: 5), width: 3) == 8)
        #expect(screen.write("z", at: Position(row: 0, column: 8), width: 3) == 9)
        #expect(screen.text(ofRow: 0) == " abc 漢 z ")
    }

    @Test func `never has what a terminal obeys`() {
        #expect(screen(6, ("\u{1B}[31ma\n\u{9B}\u{202E}b", 0)).text(ofRow: 0) == "[31mab")
    }

    @Test func `reads the wishes of the environment`() {
        let full = TerminalFeatures(environment: ["TERM": "xterm-256color"])
        #expect(full == TerminalFeatures())
        #expect(
            TerminalFeatures(environment: ["TERM": "xterm", "NO_COLOR": "1"]).hasColors == false
        )
        #expect(TerminalFeatures(environment: ["TERM": "xterm", "NO_COLOR": ""]).hasColors)
        #expect(TerminalFeatures(environment: ["TERM": "linux"]).hasLinks == false)
        #expect(TerminalFeatures(environment: ["TERM": "dumb"]).movesCursor == false)
        #expect(TerminalFeatures(environment: [:]).movesCursor == false)
    }
}
