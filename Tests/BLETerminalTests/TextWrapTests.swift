import BLETerminal
import Testing

@Suite("Wrapping")
struct TextWrapTests {
    @Test(arguments: [
        ("It is decidedly so", 10, ["It is", "decidedly", "so"]),
        ("", 5, [""]),
        ("a\n\nb\n", 5, ["a", "", "b", ""]),
        ("a\r\nb", 5, ["a", "b"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("ab abcdefghij", 4, ["ab", "abcd", "efgh", "ij"]),
        ("abcd efgh", 4, ["abcd", "efgh"]),
        ("abcd     efgh", 4, ["abcd", "efgh"]),
        ("  two", 10, ["  two"]),
        ("漢字漢字", 4, ["漢字", "漢字"]),
        ("漢字漢字", 5, ["漢字", "漢字"]),
        ("a漢", 2, ["a", "漢"]),
        ("漢", 1, ["漢"]),
        ("👩‍👩‍👧👋🏽🇩🇪", 4, ["👩‍👩‍👧👋🏽", "🇩🇪"]),
        ("10\u{A0}km far", 6, ["10\u{A0}km", "far"]),
        ("e\u{301}e\u{301}e\u{301}", 2, ["e\u{301}e\u{301}", "e\u{301}"]),
    ])
    func `is at words, and inside of long ones`(text: String, width: Int, lines: [String]) {
        #expect(TextWrap.lines(of: text, width: width).map(String.init) == lines)
    }

    @Test func `keeps the places of links`() throws {
        let text = "Ask https://example.org/a now"
        let link = try #require(WebLinks.find(in: text).first)
        let parts = TextWrap.lines(of: text, width: 12).map { line in
            text[link.range.clamped(to: line.startIndex..<line.endIndex)]
        }
        #expect(parts == ["", "https://exam", "ple.org/a", ""])
    }

    @Test(arguments: 0..<300)
    func `loses nothing, fits, and is greedy`(seed: Int) {
        var seed = Seed(seed)
        let text = seed.text(0...60, of: Seed.characters + ["\n", "  "])
        let width = Int.random(in: 2...12, using: &seed)
        let lines = TextWrap.lines(of: text, width: width)
        #expect(lines.allSatisfy { $0.displayWidth <= width })
        let seen = { (text: Substring) in Array(text).filter { $0 != " " && !$0.isNewline } }
        #expect(lines.flatMap(seen) == seen(text[...]))
        #expect(lines.count >= text.filter(\.isNewline).count + 1)
    }
}
