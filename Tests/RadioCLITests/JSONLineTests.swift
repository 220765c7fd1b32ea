import RadioCLI
import Testing

@Suite("A JSON line")
struct JSONLineTests {
    @Test func `has its members in their order, without those that have no value`() {
        let line = JSONLine(["event": "sighting", "name": nil, "rssi": -50, "b": .string("c")])
        #expect(line.text == #"{"event":"sighting","rssi":-50,"b":"c"}"#)
        #expect(JSONLine([:]).text == "{}")
    }

    @Test(
        arguments: [
            ("a\"b\\c", #"a\"b\\c"#), ("a\r\nb\tc", #"a\r\nb\tc"#), ("\u{0}", #"\u0000"#),
            ("\u{1B}[31m", #"\u001b[31m"#), ("\u{7F}\u{9B}", #"\u007f\u009b"#),
            ("\u{2028}\u{202E}", #"\u2028\u202e"#), ("Ja – 🎱 /", "Ja – 🎱 /"),
        ]
    )
    func `escapes what ends a string, a line, or speaks to a terminal`(
        text: String,
        expected: String
    ) {
        #expect(JSONLine(["t": .string(text)]).text == #"{"t":""# + expected + #""}"#)
    }
}

@Suite("A printable text")
struct PrintableTests {
    @Test(
        arguments: [
            ("Ball", "Ball"), ("Ja – 🎱", "Ja – 🎱"), ("a\nb", #"a\u{A}b"#),
            ("\u{1B}[2J", #"\u{1B}[2J"#), ("\u{9B}2J", #"\u{9B}2J"#), ("\r\n", #"\u{D}\u{A}"#),
            ("a\u{202E}b", #"a\u{202E}b"#), ("👨‍👩‍👧", "👨‍👩‍👧"),
        ]
    )
    func `writes out what a terminal might obey`(text: String, expected: String) {
        #expect(text.printable == expected)
    }
}
