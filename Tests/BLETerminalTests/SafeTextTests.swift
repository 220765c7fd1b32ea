import BLETerminal
import Testing

@Suite("Foreign text")
struct SafeTextTests {
    @Test(arguments: [
        ("Hi 👋", "Hi 👋"),
        ("\u{1B}[31mred\u{1B}[0m", "␛[31mred␛[0m"),
        ("\u{1B}]0;title\u{7}", "␛]0;title␇"),
        ("a\u{0}b\u{8}c\u{7F}", "a␀b␈c␡"),
        ("a\u{9B}31m", "a\u{FFFD}31m"),
        ("a\tb", "a   b"),
        ("漢\tb\n\tc", "漢  b\n    c"),
        ("one\r\ntwo\u{2028}three\u{85}four", "one\ntwo\nthree\nfour"),
        ("over\rwritten", "over␍written"),
        ("\u{202E}txt.exe", "\u{FFFD}txt.exe"),
        ("a\u{2066}b\u{2069}", "a\u{FFFD}b\u{FFFD}"),
        ("a\u{200E}\u{200F}\u{61C}b", "ab"),
        ("in\u{200B}vis\u{AD}ible\u{FEFF}", "invisible"),
        ("\u{3164}", ""),
        ("\u{301}", "◌\u{301}"),
        ("မြန်မာစာ", "မြန်မာစာ"),
        ("👩‍👩‍👧🏴󠁧󠁢󠁥󠁮󠁧󠁿❤️", "👩‍👩‍👧🏴󠁧󠁢󠁥󠁮󠁧󠁿❤️"),
        ("\u{E0041}", ""),
    ])
    func `is shown without what a terminal obeys`(text: String, shown: String) {
        #expect(SafeText.visible(text).unicodeScalars.elementsEqual(shown.unicodeScalars))
    }

    @Test func `is one line, when that is wanted`() {
        #expect(SafeText.visible("a\nb\r\nc", lineFeeds: .shown) == "a␤b␤c")
    }

    @Test func `has no towers of marks`() {
        let tower = "a" + String(repeating: "\u{301}", count: 10_000)
        #expect(SafeText.visible(tower).unicodeScalars.count == 32)
    }

    @Test(arguments: 0..<300)
    func `never has a control character left`(seed: Int) {
        var seed = Seed(seed)
        let controls = (UInt32(0)...0x9F).compactMap(Unicode.Scalar.init).map { String($0) }
        let others = [
            "\u{202A}", "\u{202E}", "\u{2066}", "\u{2069}", "\u{200B}", "\u{2028}", "\u{FEFF}",
        ]
        let text = seed.text(0...80, of: Seed.characters + controls + others)
        let shown = SafeText.visible(text, lineFeeds: .shown)
        for scalar in shown.unicodeScalars {
            #expect(scalar.properties.generalCategory != .control)
            #expect(![0x202A...0x202E, 0x2066...0x2069].contains { $0.contains(scalar.value) })
        }
        #expect(shown.allSatisfy { $0.displayWidth > 0 })
    }
}
