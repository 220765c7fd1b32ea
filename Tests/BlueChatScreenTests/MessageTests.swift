import BLETerminal
@testable import BlueChatScreen
import Testing

@Suite("A message")
struct MessageTests {
    private func rows(_ message: Message, _ width: Int) -> [String] {
        let rows = MessageLayout.rows(message, width: width)
        var screen = Screen(Size(columns: width, rows: rows.count))
        for (number, row) in rows.enumerated() {
            screen.write(row, at: Position(row: number, column: 0), width: width)
        }
        #expect(screen.faults == [])
        return screen.trimmedRows
    }

    private func own(_ text: String, _ state: Message.State?) -> Message {
        Message(id: "1", isOwn: true, text: text, time: "9:30", day: "", state: state)
    }

    private func other(_ text: String) -> Message {
        Message(id: "1", isOwn: false, text: text, time: "9:30", day: "")
    }

    @Test(arguments: [
        (Message.State.waiting, "waiting"), (.sending, "sending"), (.sent, "sent"),
        (.delivered, "delivered"), (.read, "read"),
        (.failed(reason: "no answer"), "FAILED: no answer"),
    ])
    func `has its state in words`(state: Message.State, word: String) {
        #expect(
            rows(own("Hi", state), 60) == [
                String(repeating: " ", count: 49 - word.count) + "Hi  9:30 \(word) ▐"
            ]
        )
        var deleted = own("Hi", state)
        deleted.isDeleted = true
        #expect(
            rows(deleted, 30)
                == ["            (deleted)  9:30 ▐"].map { "  " + $0 }.map { String($0.suffix(30)) }
        )
        var ofOthers = own("Hi", state)
        ofOthers.isOwn = false
        #expect(rows(ofOthers, 30) == ["▌ Hi  9:30"])
    }

    @Test func `says that it was edited or deleted, or is a file`() {
        var message = other("Hi")
        message.isEdited = true
        #expect(rows(message, 30) == ["▌ Hi  9:30 edited"])
        message.file = Message.File(name: "a\u{202E}gnp.exe", byteCount: 1_000)
        message.text = "look"
        #expect(
            rows(message, 50) == ["▌ [file] a\u{FFFD}gnp.exe, 1000 bytes", "▌ look  9:30 edited"]
        )
        message.isDeleted = true
        #expect(rows(message, 30) == ["▌ (deleted)  9:30"])
        message = other("")
        #expect(rows(message, 30) == ["▌ 9:30"])
        message.file = Message.File(name: "b", byteCount: 2_049)
        #expect(rows(message, 40) == ["▌ [file] b, 3 KiB  9:30"])
    }

    @Test func `is wrapped at its true width`() {
        #expect(rows(other("漢字漢字漢字 👩🏽‍💻👩🏽‍💻 x"), 12) == ["▌ 漢字漢字漢", "▌ 字 👩🏽‍💻👩🏽‍💻 x", "▌ 9:30"])
        #expect(rows(own("漢字漢字漢字", nil), 12) == ["漢字漢字漢 ▐", "字  9:30   ▐"])
        // Three quarters of a wide chat.
        #expect(rows(other(String(repeating: "a", count: 80)), 80).map(\.count) == [60, 30])
    }

    @Test(arguments: [
        ("\u{1B}[2J\u{1B}]0;title\u{7}", "▌ ␛[2J␛]0;title␇  9:30"),
        ("a\u{0}b\u{8}\u{9B}31m", "▌ a␀b␈\u{FFFD}31m  9:30"),
        ("\u{202E}drow\u{2066}x", "▌ \u{FFFD}drow\u{FFFD}x  9:30"),
        ("a\r\nb\u{85}c", "▌ a/▌ b/▌ c  9:30"),
        ("\u{301}", "▌ ◌\u{301}  9:30"),
    ])
    func `has nothing that a terminal obeys`(text: String, expected: String) {
        #expect(rows(other(text), 60) == expected.split(separator: "/").map { String($0) })
    }

    @Test func `keeps towers of marks low`() {
        let text = String(repeating: "e" + String(repeating: "\u{301}", count: 1_000), count: 50)
        let row = rows(other(text), 80)[0]
        #expect(row.unicodeScalars.count < 50 * 33)
    }

    @Test func `has links in all its rows`() {
        let rows = MessageLayout.rows(
            other("See https://example.org/a and http://b.c now"),
            width: 20
        )
        let links = rows.map { row in row.spans.compactMap(\.style.link) }
        let first = "https://example.org/a"
        #expect(
            links == [[], [first], [first], ["http://b.c"], []]
                || links.flatMap { $0 }.contains(first)
        )
        #expect(links.flatMap { $0 }.contains("http://b.c"))
        let text = rows.map { row in
            row.spans.filter { $0.style.link == first }.map(\.text).joined()
        }
        #expect(text.joined() == first)
    }

    @Test func `makes its rows once for a width and a content`() {
        var cache = LayoutCache()
        var message = other("Hi")
        let first = cache.rows(message, width: 30)
        #expect(cache.rows(message, width: 30) == first)
        #expect(cache.rows(message, width: 60) == MessageLayout.rows(message, width: 60))
        message.text = "Bye"
        #expect(cache.rows(message, width: 60) == MessageLayout.rows(message, width: 60))
        for number in 0..<200 {
            message.id = "\(number)"
            message.text = String(repeating: "\(number)\n", count: 100)
            #expect(cache.rows(message, width: 60) == MessageLayout.rows(message, width: 60))
        }
    }
}
