import EightBallCLI
import Testing

@Suite
struct JSONLineTests {
    @Test("Members stand in their order; one without a value is left out")
    func members() {
        let line = JSONLine(["event": "sighting", "name": nil, "rssi": -50, "b": .string("c")])
        #expect(line.text == #"{"event":"sighting","rssi":-50,"b":"c"}"#)
        #expect(JSONLine([:]).text == "{}")
    }

    @Test(
        "What ends a string, a line, or speaks to a terminal is escaped",
        arguments: [
            ("a\"b\\c", #"a\"b\\c"#), ("a\r\nb\tc", #"a\r\nb\tc"#), ("\u{0}", #"\u0000"#),
            ("\u{1B}[31m", #"\u001b[31m"#), ("\u{7F}\u{9B}", #"\u007f\u009b"#),
            ("\u{2028}\u{202E}", #"\u2028\u202e"#), ("Ja – 🎱 /", "Ja – 🎱 /"),
        ]
    )
    func escapes(text: String, expected: String) {
        #expect(JSONLine(["t": .string(text)]).text == #"{"t":""# + expected + #""}"#)
    }
}

@Suite
struct PrintableTests {
    @Test(
        "What a terminal might obey is written out",
        arguments: [
            ("Ball", "Ball"), ("Ja – 🎱", "Ja – 🎱"), ("a\nb", #"a\u{A}b"#),
            ("\u{1B}[2J", #"\u{1B}[2J"#), ("\u{9B}2J", #"\u{9B}2J"#), ("\r\n", #"\u{D}\u{A}"#),
            ("a\u{202E}b", #"a\u{202E}b"#), ("👨‍👩‍👧", "👨‍👩‍👧"),
        ]
    )
    func printable(text: String, expected: String) {
        #expect(text.printable == expected)
    }
}
