import BLETerminal
@testable import BlueChatScreen
import Testing

@Suite("Notices and pages")
struct NoticeTests {
    @Test func `a notice goes with the next key`() {
        var chatScreen = Sample.chatScreen()
        chatScreen.show(notice: "Saved.")
        #expect(chatScreen.rows(60, 10)[7] == "Saved.")
        chatScreen.type("x")
        #expect(chatScreen.rows(60, 10).contains("Saved.") == false)
    }

    @Test func `a warning stays until it is answered`() {
        var chatScreen = Sample.chatScreen()
        chatScreen.show(warning: "one")
        chatScreen.show(warning: "one")
        chatScreen.show(warning: "two")
        chatScreen.type("x")
        #expect(chatScreen.rows(60, 10)[7] == "WARNING: one (1 more)")
        #expect(chatScreen.drawn(60, 10)[7, 0].style.attributes.contains(.reversed))
        chatScreen.press(.escape)
        #expect(chatScreen.rows(60, 10).contains { $0.contains("WARNING") } == false)
        chatScreen.show(warning: "three")
        chatScreen.press(.enter)
        #expect(chatScreen.warnings == [])
        for number in 0..<20 { chatScreen.show(warning: "\(number)") }
        #expect(chatScreen.warnings == (12..<20).map { "\($0)" })
    }

    @Test func `a warning and a notice are both seen where there is room`() {
        var chatScreen = Sample.chatScreen()
        chatScreen.show(warning: String(repeating: "long ", count: 20))
        chatScreen.show(notice: "Saved.")
        #expect(
            chatScreen.rows(60, 20)[15...17] == [
                "WARNING: long long long long long long long long long long",
                "long long long long long long long long long long", "Saved.",
            ]
        )
        #expect(chatScreen.rows(60, 8)[5].hasPrefix("WARNING"))
    }

    @Test func `the state of the radio stays`() {
        var chatScreen = Sample.chatScreen()
        chatScreen.show(radioState: "Bluetooth is off")
        chatScreen.type("x")
        #expect(chatScreen.rows(60, 10)[0].hasSuffix("! Bluetooth is off"))
        chatScreen.show(radioState: nil)
        #expect(chatScreen.rows(60, 10)[0] == "bluechat  Alice  key 1a2b 3c4d")
    }

    @Test func `a page scrolls, and is left`() {
        var chatScreen = Sample.chatScreen()
        chatScreen.show(page: Page("Words", lines: (0..<20).map { "line \($0)" }))
        #expect(
            chatScreen.rows(30, 6) == [
                "Words", "line 0", "line 1", "line 2", "line 3", "Esc back  ↑↓ scroll",
            ]
        )
        #expect(chatScreen.actions(30, 6) == [])
        chatScreen.press(.down, times: 2)
        #expect(chatScreen.rows(30, 6)[1] == "line 2")
        chatScreen.press(.pageDown)
        #expect(chatScreen.rows(30, 6)[1] == "line 5")
        chatScreen.press(.end)
        chatScreen.press(.down)
        #expect(chatScreen.rows(30, 6)[4] == "line 19")
        chatScreen.press(.up)
        #expect(chatScreen.rows(30, 6)[4] == "line 18")
        chatScreen.press(.home)
        chatScreen.press(.pageUp)
        #expect(chatScreen.rows(30, 6)[1] == "line 0")
        chatScreen.type("x")
        #expect(chatScreen.written == "")
        chatScreen.press(.escape)
        #expect(chatScreen.rows(30, 6)[0] == "bluechat  Alice")
    }

    @Test func `a page waits until a question is answered`() {
        var chatScreen = Sample.chatScreen()
        chatScreen.enter("/remove")
        chatScreen.show(page: Page("Words", lines: ["line"]))
        #expect(chatScreen.rows(60, 10)[7] == "Remove Bob? y/n")
        #expect(chatScreen.type("n") == [])
        #expect(chatScreen.rows(60, 10)[0] == "Words")
    }

    @Test func `a question is seen in a window of one row`() {
        var chatScreen = Sample.chatScreen()
        chatScreen.enter("/remove")
        #expect(chatScreen.rows(60, 1) == ["Remove Bob? y/n"])
        chatScreen.type("n")
        #expect(chatScreen.rows(60, 1) != ["Remove Bob? y/n"])
    }

    @Test func `a page of the same title takes its place, and stays where it is scrolled`() {
        var chatScreen = ChatScreen()
        chatScreen.show(page: Page("Near", lines: (0..<20).map { "line \($0)" }))
        _ = chatScreen.drawn(30, 6)
        chatScreen.press(.pageDown)
        chatScreen.show(page: Page("Near", lines: (0..<20).map { "row \($0)" }))
        #expect(chatScreen.rows(30, 6)[1] == "row 3")
        chatScreen.show(page: Page("Near", lines: ["one"]))
        #expect(chatScreen.rows(30, 6)[1] == "one")
        chatScreen.show(page: Page("Far", lines: (0..<5_000).map { "row \($0)" }))
        #expect(chatScreen.rows(30, 6)[1] == "row 0")
        chatScreen.press(.end)
        #expect(chatScreen.rows(30, 6)[4] == "row 1999")
        chatScreen.show(page: nil)
        #expect(chatScreen.page == nil)
    }

    @Test func `a page goes on in the next row, and has links and nothing that is obeyed`() {
        var chatScreen = ChatScreen()
        chatScreen.show(page: Page("Fo\u{1B}und", lines: ["It is https://a.b \u{1B}[2J\u{202E}x"]))
        let screen = chatScreen.drawn(14, 6)
        #expect(
            screen.trimmedRows[0...3] == ["Fo␛und", "It is", "  https://a.b", "  ␛[2J\u{FFFD}x"]
        )
        #expect(screen[2, 2].style.link == "https://a.b")
        #expect(screen.faults == [])
    }

    @Test func `a line of a page can't be made to pass for several`() {
        var chatScreen = ChatScreen()
        let gap = String(repeating: " ", count: 40)
        chatScreen.show(page: Page("Found", lines: ["Eve: Hi\nyou: yes", "Eve: No\(gap)you: yes"]))
        #expect(
            chatScreen.rows(30, 6)[1...4] == ["Eve: Hi␤you: yes", "Eve: No", "  you: yes", ""]
        )
    }

    @Test func `a QR code is black on white, in the middle, and whole`() {
        var chatScreen = ChatScreen()
        chatScreen.show(page: Page("Key", lines: ["█▀▀█", "█▄▄█"], isQRCode: true))
        let screen = chatScreen.drawn(20, 6)
        #expect(screen.trimmedRows[1...2] == ["        █▀▀█", "        █▄▄█"])
        #expect(screen[1, 8].style.color?.rawValue == 16)
        #expect(screen[1, 8].style.background?.rawValue == 231)
        #expect(screen[1, 7].style == .plain)
        #expect(
            chatScreen.rows(20, 3)[1] == "Too small for the"
        )
        #expect(chatScreen.rows(3, 20)[1].hasPrefix("Too"))
    }
}
