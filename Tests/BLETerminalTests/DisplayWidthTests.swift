import BLETerminal
import TestThreads
import Testing

@Suite("The width of text", .ownThread)
struct DisplayWidthTests {
    @Test(arguments: [
        ("a", 1), ("é", 1), ("e\u{301}", 1), ("ß", 1), ("→", 1), ("…", 1), ("☺", 1), ("❤", 1),
        ("漢", 2), ("字", 2), ("한", 2), ("\u{1112}\u{1161}\u{11AB}", 2), ("Ａ", 2), ("ｱ", 1), ("　", 2),
        ("👋", 2), ("👋🏽", 2), ("❤️", 2), ("☺️", 2), ("1️⃣", 2), ("#️⃣", 2), ("⌚", 2), ("🫠", 2),
        ("👩‍👩‍👧‍👦", 2), ("🏳️‍🌈", 2), ("👁️‍🗨️", 2), ("🇩🇪", 2), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2), ("👩🏽‍🚀", 2),
        ("กำ", 2), ("กั", 1), ("नि", 1), ("\u{301}", 0), ("\u{200B}", 0), ("\u{FE0F}", 0),
        ("\u{AD}", 0),
        ("\n", 0), ("\r\n", 0), ("\t", 0), ("\u{1B}", 0), ("\u{7F}", 0), ("\u{9B}", 0),
        ("\u{202E}", 0),
    ])
    func `of a character is what terminals draw`(text: String, width: Int) {
        #expect(text.count == 1)
        #expect(text.displayWidth == width)
    }

    @Test func `of a text is that of its characters`() {
        #expect("".displayWidth == 0)
        #expect("Hi 👋 漢字".displayWidth == 10)
        #expect("Hi 👋 漢字".dropFirst(3).displayWidth == 7)
    }

    @Test func `of a mark is a cell when it is no part of the letter before it`() {
        let marks = (UInt32(0)...0x10FFFF).compactMap(Unicode.Scalar.init)
            .filter { $0.properties.generalCategory == .spacingMark }
            .filter { "က\($0)".count == 2 }
        #expect(marks.contains("\u{102C}"))
        for mark in marks { #expect(Character(mark).displayWidth == 1, "\(mark.value)") }
    }

    @Test func `is never more than two, whatever the scalar`() throws {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let width = Character(scalar).displayWidth
            #expect((0...2).contains(width))
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .control: #expect(width == 0, "\(scalar)")
            default: break
            }
            // Of what is drawn as a picture by default, flags are made of two.
            if scalar.properties.isEmojiPresentation, !(0x1F1E6...0x1F1FF).contains(value) {
                #expect(width == 2, "\(scalar)")
            }
        }
    }
}
