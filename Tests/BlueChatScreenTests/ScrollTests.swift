import BLETerminal
@testable import BlueChatScreen
import Testing

@Suite("Scrolling")
struct ScrollTests {
    /// A chat in 30 × 13 cells: ten rows of messages, or nine while it is scrolled.
    private func chatScreen(_ count: Int, hasEarlier: Bool = false) -> ChatScreen {
        var chatScreen = Sample.chatScreen(with: Sample.ada, [])
        chatScreen.show(messages: Sample.numbered(0..<count), hasEarlier: hasEarlier, of: "ada")
        _ = chatScreen.drawn(30, 14)
        return chatScreen
    }

    private func shown(_ chatScreen: inout ChatScreen, _ columns: Int = 30, _ rows: Int = 14)
        -> [String]
    {
        Array(chatScreen.rows(columns, rows)[2...(rows - 3)])
    }

    private func lines(_ numbers: ClosedRange<Int>) -> [String] {
        numbers.map { "▌ message \($0)" }
    }

    private let more = String(repeating: " ", count: 23) + " ↓ more"
    private func new(_ count: Int) -> String {
        let text = " ↓ \(count) new "
        var line = String(repeating: " ", count: 30 - text.count) + text
        line.removeLast()
        return line
    }

    @Test func `begins at the end, and goes by pages`() {
        var chatScreen = chatScreen(50)
        #expect(shown(&chatScreen) == lines(40...49))
        chatScreen.press(.pageUp)
        #expect(shown(&chatScreen) == lines(32...40) + [" ".padded(to: 22) + " ↓ more"])
        chatScreen.press(.pageUp)
        #expect(shown(&chatScreen).first == "▌ message 24")
        chatScreen.press(.pageDown)
        #expect(shown(&chatScreen).first == "▌ message 32")
        chatScreen.press(.up, .shift)
        #expect(shown(&chatScreen).first == "▌ message 31")
        chatScreen.press(.down, .shift, times: 2)
        #expect(shown(&chatScreen).first == "▌ message 33")
        chatScreen.press(.escape)
        #expect(shown(&chatScreen) == lines(40...49))
        #expect(chatScreen.focus == .chat)
    }

    @Test func `ends at the first message and the newest one`() {
        var chatScreen = chatScreen(50)
        chatScreen.press(.pageUp, times: 100)
        #expect(shown(&chatScreen).first == "▌ message 0")
        chatScreen.press(.pageUp)
        chatScreen.press(.pageDown)
        #expect(shown(&chatScreen).first == "▌ message 8")
        chatScreen.press(.home)
        #expect(shown(&chatScreen).first == "▌ message 0")
        chatScreen.press(.down, .shift, times: 200)
        #expect(shown(&chatScreen) == lines(40...49))
        chatScreen.press(.home)
        chatScreen.press(.end)
        #expect(shown(&chatScreen) == lines(40...49))
        chatScreen.type("x")
        chatScreen.press(.home)
        #expect(chatScreen.chat?.end == .newest)
        var few = self.chatScreen(3)
        few.press(.pageUp)
        #expect(shown(&few).prefix(3) == lines(0...2)[...])
        #expect(few.chat?.end == .newest)
        var none = self.chatScreen(0)
        none.press(.pageUp)
        none.press(.home)
        #expect(shown(&none).first == "No messages yet.")
    }

    @Test func `follows the newest message only from the end`() {
        var chatScreen = chatScreen(50)
        chatScreen.show(messages: Sample.numbered(0..<51), hasEarlier: false, of: "ada")
        #expect(shown(&chatScreen) == lines(41...50))
        chatScreen.press(.pageUp)
        let before = shown(&chatScreen)
        let own = Sample.numbered(54..<55, isOwn: true)
        chatScreen.show(messages: Sample.numbered(0..<54) + own, hasEarlier: false, of: "ada")
        let after = shown(&chatScreen)
        #expect(after.dropLast() == before.dropLast())
        #expect(after.last == new(3))
        chatScreen.press(.end)
        #expect(shown(&chatScreen).last == "               message 54  sent ▐".suffixed(30))
        chatScreen.press(.pageUp)
        #expect(shown(&chatScreen).last?.hasSuffix("↓ more") == true)
    }

    @Test func `stays where it is when earlier messages are put before`() {
        var chatScreen = chatScreen(50, hasEarlier: true)
        #expect(chatScreen.actions(30, 14) == [])
        chatScreen.press(.home)
        #expect(chatScreen.actions(30, 14) == [.loadEarlier(before: "m0", person: "ada")])
        #expect(chatScreen.actions(30, 14) == [])
        #expect(shown(&chatScreen)[0...1] == ["           ── … ──", "▌ message 0"])
        let earlier = (0..<20).map { number in
            Message(id: "e\(number)", isOwn: false, text: "earlier \(number)", time: "", day: "")
        }
        let all = earlier + Sample.numbered(0..<50)
        chatScreen.show(messages: all, hasEarlier: true, of: "ada")
        #expect(shown(&chatScreen)[0...1] == ["▌ earlier 19", "▌ message 0"])
        chatScreen.press(.home)
        #expect(chatScreen.actions(30, 14) == [.loadEarlier(before: "e0", person: "ada")])
    }

    @Test func `asks for earlier messages when all fit`() {
        var chatScreen = Sample.chatScreen(with: Sample.ada, [])
        chatScreen.show(messages: Sample.numbered(0..<3), hasEarlier: true, of: "ada")
        #expect(
            chatScreen.actions() == [
                .markRead(through: "m2", person: "ada"), .loadEarlier(before: "m0", person: "ada"),
            ]
        )
        chatScreen.show(messages: Sample.numbered(0..<3), hasEarlier: false, of: "ada")
        #expect(chatScreen.actions() == [])
    }

    @Test func `says what was read when it was seen`() {
        var chatScreen = Sample.chatScreen(with: Sample.ada, [])
        #expect(chatScreen.actions() == [])
        chatScreen.show(
            messages: Sample.numbered(0..<30) + Sample.numbered(30..<31, isOwn: true),
            hasEarlier: false,
            of: "ada"
        )
        #expect(chatScreen.actions() == [.markRead(through: "m29", person: "ada")])
        #expect(chatScreen.actions() == [])
        chatScreen.press(.pageUp)
        chatScreen.show(messages: Sample.numbered(0..<40), hasEarlier: false, of: "ada")
        #expect(chatScreen.actions() == [])
        chatScreen.press(.escape)
        chatScreen.press(.function(1))
        #expect(chatScreen.actions() == [])
        chatScreen.press(.escape)
        #expect(chatScreen.actions() == [.markRead(through: "m39", person: "ada")])
        // In a narrow terminal the list hides the chat.
        chatScreen.press(.tab)
        chatScreen.show(messages: Sample.numbered(0..<41), hasEarlier: false, of: "ada")
        #expect(chatScreen.actions(40, 20) == [])
        #expect(chatScreen.actions(0, 0) == [])
        #expect(chatScreen.actions(80, 20) == [.markRead(through: "m40", person: "ada")])
    }

    @Test func `goes to the end when something is sent`() {
        var chatScreen = chatScreen(50)
        chatScreen.press(.pageUp)
        chatScreen.enter("Hi")
        #expect(shown(&chatScreen) == lines(40...49))
    }

    @Test func `has no empty rows when there is more room`() {
        var chatScreen = chatScreen(50)
        _ = chatScreen.drawn(30, 8)
        chatScreen.press(.home)
        #expect(shown(&chatScreen, 30, 8).first == "▌ message 0")
        chatScreen.press(.down, .shift, times: 3)
        #expect(shown(&chatScreen, 30, 8).first == "▌ message 3")
        #expect(shown(&chatScreen, 30, 30).prefix(3) == lines(0...2)[...])
        #expect(shown(&chatScreen, 30, 60).prefix(50) == lines(0...49)[...])
        #expect(chatScreen.chat?.end == .newest)
    }

    @Test func `shows what is new since the chat was opened, until something is sent`() {
        var chatScreen = Sample.chatScreen(with: Sample.bob, [])
        chatScreen.show(messages: [], hasEarlier: false, of: "bob")
        #expect(chatScreen.chat?.firstUnreadID == nil)
        _ = chatScreen.open("ada")
        _ = chatScreen.open("bob")
        let messages = Sample.numbered(0..<4) + Sample.numbered(4..<5, isOwn: true)
        chatScreen.show(messages: messages, hasEarlier: false, of: "bob")
        #expect(shown(&chatScreen)[1...3] == ["▌ message 1", "          ── new ──", "▌ message 2"])
        chatScreen.show(messages: Sample.numbered(0..<9), hasEarlier: false, of: "bob")
        #expect(shown(&chatScreen)[2...3] == ["          ── new ──", "▌ message 2"])
        chatScreen.enter("Hi")
        #expect(shown(&chatScreen)[1...2] == ["▌ message 1", "▌ message 2"])
    }

    @Test func `shows what is new also when more was not read than is there at first`() {
        var person = Sample.bob
        person.unreadCount = 5
        var chatScreen = ChatScreen()
        chatScreen.show(people: [person])
        _ = chatScreen.open("bob")
        for (first, new) in [(6, "m6"), (5, "m5"), (0, "m4"), (0, "m4")] {
            let messages = Sample.numbered(first..<9)
            chatScreen.show(messages: messages, hasEarlier: first > 0, of: "bob")
            #expect(chatScreen.chat?.firstUnreadID == new)
        }
    }

    @Test func `takes no messages of others`() {
        var chatScreen = chatScreen(5)
        chatScreen.show(messages: [], hasEarlier: false, of: "bob")
        #expect(chatScreen.chat?.messages.count == 5)
    }

    @Test func `keeps the newest 2,000 messages`() {
        var chatScreen = chatScreen(2_500)
        #expect(chatScreen.chat?.messages.count == 2_000)
        chatScreen.press(.home)
        #expect(chatScreen.actions(60, 14) == [])
        #expect(
            chatScreen.rows(59, 14)[2]
                == "   ── the newest 2000: /search finds others ──".centered(59)
        )
        #expect(chatScreen.rows(59, 14)[3] == "▌ message 500")
        chatScreen.show(messages: Sample.numbered(0..<2_600), hasEarlier: false, of: "ada")
        #expect(
            chatScreen.rows(59, 14)[3] == "▌ message 601"
                || chatScreen.rows(59, 14)[3] == "▌ message 600"
        )
    }

    @Test func `scrolls through a message that is longer than the screen`() {
        let text = (0..<100).map { "line \($0)" }.joined(separator: "\n")
        var chatScreen = Sample.chatScreen(
            with: Sample.ada,
            [
                Message(id: "1", isOwn: false, text: text, time: "", day: "")
            ]
        )
        #expect(shown(&chatScreen).last == "▌ line 99")
        chatScreen.press(.home)
        #expect(shown(&chatScreen)[0...8] == (0..<9).map { "▌ line \($0)" }[...])
        chatScreen.press(.down, .shift, times: 50)
        #expect(shown(&chatScreen)[0] == "▌ line 50")
        chatScreen.press(.pageDown, times: 20)
        #expect(shown(&chatScreen).last == "▌ line 99")
    }

    @Test func `keeps its last row when the size changes`() {
        var chatScreen = chatScreen(100)
        chatScreen.press(.pageUp, times: 4)
        let last = shown(&chatScreen).dropLast().last
        for (columns, rows) in [(200, 40), (20, 8), (58, 9), (100, 24), (3, 3), (30, 14)] {
            _ = chatScreen.drawn(columns, rows)
        }
        #expect(shown(&chatScreen).dropLast().last == last)
    }

    @Test func `finds its place when a message has another id`() {
        var chatScreen = chatScreen(50)
        chatScreen.press(.pageUp, times: 2)
        let before = shown(&chatScreen)
        let renamed = Sample.numbered(0..<50).map { message in
            var message = message
            message.id += "x"
            return message
        }
        chatScreen.show(messages: renamed, hasEarlier: false, of: "ada")
        #expect(shown(&chatScreen) == before)
        chatScreen.show(messages: Sample.numbered(0..<5), hasEarlier: false, of: "ada")
        #expect(shown(&chatScreen)[0...4] == lines(0...4)[...])
        chatScreen.show(messages: [], hasEarlier: false, of: "ada")
        #expect(shown(&chatScreen)[0] == "No messages yet.")
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String {
        self + String(repeating: " ", count: max(0, count - self.count))
    }

    fileprivate func suffixed(_ count: Int) -> String { String(suffix(count)) }

    fileprivate func centered(_ width: Int) -> String {
        let text = drop { $0 == " " }
        return String(repeating: " ", count: (width - text.count) / 2) + text
    }
}
