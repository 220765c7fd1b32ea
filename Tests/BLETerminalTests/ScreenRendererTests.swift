@testable import BLETerminal
import TestThreads
import Testing

@Suite("Drawing", .ownThread)
struct ScreenRendererTests {
    private let size = Size(columns: 12, rows: 3)
    private let renderer = ScreenRenderer()

    private func diff(_ old: Screen?, _ new: Screen) -> String {
        String(decoding: renderer.diff(from: old, to: new), as: UTF8.self)
    }

    private func screen(_ texts: (String, Int, Int)..., style: Style = .plain) -> Screen {
        var screen = Screen(size)
        for (text, row, column) in texts {
            screen.write(text, at: Position(row: row, column: column), style)
        }
        return screen
    }

    @Test func `takes no byte when nothing changed`() {
        #expect(diff(screen(("Hi", 1, 1)), screen(("Hi", 1, 1))).isEmpty)
    }

    @Test func `begins with an empty terminal when it knows nothing`() {
        let empty = "\u{1B}]8;;\u{1B}\\\u{1B}[m\u{1B}[H\u{1B}[2J\u{1B}[?25l"
        #expect(diff(nil, Screen(size)) == empty)
        #expect(diff(Screen(Size(columns: 1, rows: 1)), Screen(size)) == empty)
    }

    @Test func `takes the shortest way`() {
        let old = screen(("abcdefgh", 0, 0), ("x", 1, 0))
        #expect(diff(old, screen(("aXcdefgh", 0, 0), ("x", 1, 0))) == "\u{1B}[;2HX")
        #expect(diff(old, screen(("aXcXefgh", 0, 0), ("x", 1, 0))) == "\u{1B}[;2HXcX")
        #expect(diff(old, screen(("aXcdefgX", 0, 0), ("x", 1, 0))) == "\u{1B}[;2HX\u{1B}[8GX")
        #expect(diff(old, screen(("aXcdefgh", 0, 0), ("X", 1, 0))) == "\u{1B}[;2HX\r\nX")
        #expect(diff(old, screen(("ab", 0, 0), ("x", 1, 0))) == "\u{1B}[;3H\u{1B}[K")
        #expect(diff(old, screen(("abcdef", 0, 0), ("x", 1, 0))) == "\u{1B}[;7H  ")
    }

    @Test func `changes styles in the fewest bytes`() {
        let red = Style(.red, .bold)
        #expect(red.sequence(from: .plain) == "\u{1B}[1;31m")
        #expect(Style.plain.sequence(from: red) == "\u{1B}[m")
        #expect(Style(.red).sequence(from: red) == "\u{1B}[22m")
        #expect(Style(.red, .dim).sequence(from: red) == "\u{1B}[22;2m")
        #expect(Style(.red, [.bold, .dim]).sequence(from: Style(.red, .dim)) == "\u{1B}[1m")
        #expect(Style(.gray).sequence(from: red) == "\u{1B}[0;90m")
        #expect(
            Style(background: Color(rawValue: 200)).sequence(from: .plain) == "\u{1B}[48;5;200m"
        )
    }

    @Test func `shows and hides the cursor`() {
        var new = Screen(size)
        new.cursor = Position(row: 1, column: 2)
        #expect(diff(Screen(size), new) == "\u{1B}[2;3H\u{1B}[?25h")
        var next = new
        next.cursor = Position(row: 1, column: 1)
        #expect(diff(new, next) == "\u{8}")
        next.cursor = Position(row: 9, column: 1)
        #expect(diff(new, next) == "\u{1B}[?25l")
    }

    @Test func `leaves out colours and links that are not wanted`() {
        let new = screen(("a", 0, 0), style: Style(.red, .bold, link: "https://a.b"))
        var plain = renderer
        plain.features.hasColors = false
        plain.features.hasLinks = false
        let bytes = plain.diff(from: Screen(size), to: new)
        #expect(String(decoding: bytes, as: UTF8.self) == "\u{1B}[H\u{1B}[1ma\u{1B}[m")
    }

    @Test func `writes links so that nothing can end them`() {
        let new = screen(("a", 0, 0), style: Style(link: "https://a.b/\u{1B}\\ü"))
        #expect(
            diff(Screen(size), new)
                == "\u{1B}[H\u{1B}]8;;https://a.b/%1B\\%C3%BC\u{1B}\\a\u{1B}]8;;\u{1B}\\"
        )
    }

    @Test func `writes lines where the cursor can't be moved`() {
        var dumb = renderer
        dumb.features = TerminalFeatures(environment: ["TERM": "dumb"])
        let bytes = dumb.diff(
            from: screen(("a", 0, 0)),
            to: screen(("a", 0, 0), ("b", 2, 1), style: Style(.red))
        )
        #expect(String(decoding: bytes, as: UTF8.self) == " b\r\n")
    }

    @Test(arguments: ["❤️", "1️⃣", "👩‍👩‍👧", "👩🏽‍🚀", "🇩🇪"])
    func `leaves nothing of what a terminal draws wider or narrower`(text: String) {
        var terminal = SimulatedTerminal(size, knowsCharacters: false)
        var shown = Screen(size)
        for next in [
            screen(("abcdefgh", 0, 0)), screen(("a\(text)defgh", 0, 0)), screen(),
            screen((text, 0, 1)), screen(("defgh", 0, 3)),
        ] {
            terminal.receive(renderer.diff(from: shown, to: next))
            shown = next
            let isThere = !next[0, 1].isSimple
            for column in 0..<size.columns where !isThere || !(1...2).contains(column) {
                #expect(terminal.cells[0][column] == next[0, column])
            }
            if isThere { #expect(terminal.cells[0][2].character != "c") }
            #expect(terminal.unknown.isEmpty)
            #expect(terminal.scrolled == 0)
        }
    }

    @Test(arguments: 0..<500)
    func `makes a terminal show the screen`(seed: Int) {
        var seed = Seed(seed)
        let size = Size(
            columns: Int.random(in: 1...14, using: &seed),
            rows: Int.random(in: 1...4, using: &seed)
        )
        var terminal = SimulatedTerminal(size)
        var shown: Screen?
        var screen = Screen(size)
        for step in 0..<20 {
            screen = change(screen, &seed)
            terminal.receive(renderer.diff(from: shown, to: screen))
            shown = screen
            #expect(terminal.unknown.isEmpty)
            #expect(terminal.scrolled == 0)
            #expect(terminal.differences(from: screen) == [], "step \(step)")
            #expect(terminal.showsCursor == (screen.cursor != nil))
            if let cursor = screen.cursor {
                #expect(Position(row: terminal.row, column: terminal.column) == cursor)
            }
        }
    }

    private func change(_ old: Screen, _ seed: inout Seed) -> Screen {
        var screen = Bool.random(using: &seed) ? old : Screen(old.size)
        let styles = [
            Style.plain, .plain, Style(.red), Style(.red, .bold), Style(nil, .dim),
            Style(.gray, .reversed),
            Style(background: Color(rawValue: 99), [.bold, .underlined]),
            Style(link: "https://a.b"),
        ]
        for _ in 0..<Int.random(in: 0...4, using: &seed) {
            let row = Int.random(in: 0..<old.size.rows, using: &seed)
            let column = Int.random(in: -2..<old.size.columns, using: &seed)
            let style = styles.randomElement(using: &seed) ?? .plain
            let text = seed.text(0...8)
            screen.write(text, at: Position(row: row, column: column), style)
            if Int.random(in: 0..<6, using: &seed) == 0 {
                screen.clear(rows: row..<row + 1, columns: max(0, column)..<old.size.columns, style)
            }
        }
        screen.cursor =
            Bool.random(using: &seed)
            ? nil
            : Position(
                row: Int.random(in: 0..<old.size.rows, using: &seed),
                column: Int.random(in: 0..<old.size.columns, using: &seed)
            )
        return screen
    }
}
