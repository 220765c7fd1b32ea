import BLETerminal
import TestThreads
import Testing

@Suite("The parser of keys", .ownThread)
struct KeyParserTests {
    private static let sequences: [(String, [Input])] = [
        ("a", [.key(Key("a"))]),
        ("é漢👋", [.key(Key("é")), .key(Key("漢")), .key(Key("👋"))]),
        ("\r\t\u{7F}", [.key(Key(.enter)), .key(Key(.tab)), .key(Key(.backspace))]),
        (
            "\u{3}\n\u{0}\u{1F}",
            [
                .key(Key("c", .control)), .key(Key("j", .control)), .key(Key(" ", .control)),
                .key(Key("_", .control)),
            ]
        ),
        (
            "\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D",
            [
                .key(Key(.up)), .key(Key(.down)), .key(Key(.right)), .key(Key(.left)),
            ]
        ),
        (
            "\u{1B}OA\u{1B}OH\u{1B}OF\u{1B}OP",
            [
                .key(Key(.up)), .key(Key(.home)), .key(Key(.end)), .key(Key(.function(1))),
            ]
        ),
        (
            "\u{1B}[H\u{1B}[F\u{1B}[1~\u{1B}[4~",
            [
                .key(Key(.home)), .key(Key(.end)), .key(Key(.home)), .key(Key(.end)),
            ]
        ),
        (
            "\u{1B}[2~\u{1B}[3~\u{1B}[5~\u{1B}[6~",
            [
                .key(Key(.insert)), .key(Key(.delete)), .key(Key(.pageUp)), .key(Key(.pageDown)),
            ]
        ),
        (
            "\u{1B}[1;5C\u{1B}[1;3D\u{1B}[1;2A\u{1B}[3;8~",
            [
                .key(Key(.right, .control)), .key(Key(.left, .alt)), .key(Key(.up, .shift)),
                .key(Key(.delete, [.alt, .shift, .control])),
            ]
        ),
        (
            "\u{1B}[Z\u{1B}[13;2u\u{1B}[97;5u\u{1B}[27;5;13~",
            [
                .key(Key(.tab, .shift)), .key(Key(.enter, .shift)), .key(Key("a", .control)),
                .key(Key(.enter, .control)),
            ]
        ),
        (
            "\u{1B}b\u{1B}\u{7F}\u{1B}\r",
            [
                .key(Key("b", .alt)), .key(Key(.backspace, .alt)), .key(Key(.enter, .alt)),
            ]
        ),
        (
            "\u{1B}[15~\u{1B}[24~\u{1B}[[C",
            [
                .key(Key(.function(5))), .key(Key(.function(12))), .key(Key(.function(3))),
            ]
        ),
        ("\u{1B}\u{1B}[A", [.key(Key(.escape)), .key(Key(.up))]),
        (
            "\u{1B}[200~Hi\r\n\u{1B}[20you\u{1B}\u{1B}[201~x",
            [
                .paste(Paste("Hi\n\u{1B}[20you\u{1B}")), .key(Key("x")),
            ]
        ),
        // What is dropped: unknown keys, replies of the terminal, what is cut off by a control character.
        ("\u{1B}[?62;c\u{1B}[99~\u{1B}[1;999A\u{1B}[Ia", [.key(Key("a"))]),
        ("\u{1B}]11;rgb:0/0/0\u{7}\u{1B}P1$r\u{1B}\\\u{1B}_G\u{1B}\\b", [.key(Key("b"))]),
        ("\u{1B}[12\rc", [.key(Key(.enter)), .key(Key("c"))]),
        ("\u{1B}[12\u{1B}[A", [.key(Key(.up))]),
        ("\u{1B}[99999999999999999999999999A\u{1B}[B", [.key(Key(.down))]),
        ("\u{1B}[\(String(repeating: "1;", count: 5_000))Ad", [.key(Key("d"))]),
        ("\u{85}\u{9B}e", [.key(Key("e"))]),
    ]

    @Test(arguments: sequences)
    func `knows keys, however the bytes come`(text: String, inputs: [Input]) {
        let bytes = Array(text.utf8)
        for split in 0..<min(bytes.count, 80) {
            var parser = KeyParser()
            let parts = parser.receive(bytes[..<split]) + parser.receive(bytes[split...])
            #expect(parts == inputs)
            #expect(parser.wait == nil)
        }
        var parser = KeyParser()
        #expect(bytes.flatMap { parser.receive([$0]) } == inputs)
    }

    @Test(arguments: [
        [0xFF, 0x61], [0xC3, 0x61], [0xE2, 0x82, 0x61], [0xF0, 0x9F, 0x91, 0x61], [0x80, 0x61],
        [0xC0, 0xAF, 0x61], [0xED, 0xA0, 0x80, 0x61], [0xF4, 0x90, 0x80, 0x80, 0x61],
        [0xE2, 0x1B, 0x5B, 0x5A, 0x61],
    ])
    func `drops what is no UTF-8, and nothing after it`(bytes: [UInt8]) {
        var parser = KeyParser()
        #expect(parser.receive(bytes).last == .key(Key("a")))
        #expect(parser.wait == nil)
    }

    @Test(
        arguments: [
            ("\u{1B}", [.key(Key(.escape))]), ("\u{1B}[", [.key(Key("[", .alt))]),
            ("\u{1B}O", [.key(Key("O", .alt))]), ("\u{1B}]", [.key(Key("]", .alt))]),
            ("\u{1B}[1;", []), ("\u{1B}]11;", []), ("\u{1B}[[", []),
            ("\u{1B}[200~Hi", [.paste(Paste("Hi"))]),
        ] as [(String, [Input])]
    )
    func `ends what does not go on`(text: String, inputs: [Input]) {
        var parser = KeyParser()
        #expect(parser.receive(text.utf8).isEmpty)
        #expect(parser.wait == (text.contains("200") ? .paste : .sequence))
        #expect(parser.timeOut() == inputs)
        #expect(parser.wait == nil)
        #expect(parser.timeOut().isEmpty)
        #expect(parser.receive("a".utf8) == [.key(Key("a"))])
    }

    @Test(arguments: [
        ("abcdef", "abcd", true), ("abcd", "abcd", false), ("abcdé", "abcd", true),
        ("abc👋", "abc", true), ("abé", "abé", false), ("aéé", "aé", true),
    ])
    func `keeps as much of a paste as the limit says`(text: String, kept: String, isCut: Bool) {
        var parser = KeyParser(pasteLimitBytes: 4)
        let inputs = parser.receive("\u{1B}[200~\(text)\u{1B}[201~".utf8)
        #expect(inputs == [.paste(Paste(kept, isCut: isCut))])
    }

    @Test func `takes a large paste`() {
        let text = String(repeating: "Hi 👋 ", count: 100_000)
        var parser = KeyParser(pasteLimitBytes: 1_000_000)
        let inputs = parser.receive("\u{1B}[200~\(text)\u{1B}[201~".utf8)
        #expect(inputs == [.paste(Paste(text))])
    }

    @Test(arguments: 0..<200)
    func `takes any bytes, and so does what they are for`(seed: Int) {
        var seed = Seed(seed)
        let common = Array("\u{1B}[1;5~200AHFOu]P\\\r\n\u{7F}\u{1}\u{19}\u{17}".utf8)
        let bytes = (0..<400).map { _ in
            Bool.random(using: &seed)
                ? UInt8.random(in: 0...255, using: &seed) : common.randomElement(using: &seed) ?? 0
        }
        var parser = KeyParser(pasteLimitBytes: 100)
        var editor = LineEditor(size: Size(columns: 7, rows: 2), limit: TextLimit(50))
        for input in parser.receive(bytes) + parser.timeOut() {
            if let edit = Edit(input) { editor.apply(edit) }
        }
        #expect((editor.remaining ?? -1) >= 0)
        let text = String(decoding: bytes, as: UTF8.self)
        let shown = SafeText.visible(text)
        #expect(TextWrap.lines(of: shown, width: 9).allSatisfy { $0.displayWidth <= 9 })
        #expect(parser.receive("z".utf8) == [.key(Key("z"))])
    }

    @Test(arguments: 0..<300)
    func `is never stuck, and sees the same in any parts`(seed: Int) {
        var seed = Seed(seed)
        let pool: [[UInt8]] =
            Self.sequences.map { Array($0.0.utf8.prefix(40)) } + [
                [0x1B], [0x9B], [0xE2, 0x82], [0xFF], Array("\u{1B}[2".utf8), Array("\u{1B}]".utf8),
                [0x18],
            ]
        let bytes = (0..<12).flatMap { _ in pool.randomElement(using: &seed) ?? [] }
        var whole = KeyParser()
        var parted = KeyParser()
        let inputs = whole.receive(bytes)
        var parts: [Input] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...5, using: &seed)
            parts += parted.receive(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        #expect(inputs == parts)
        #expect(whole.timeOut() == parted.timeOut())
        #expect(whole.receive("z".utf8) == [.key(Key("z"))])
    }
}
