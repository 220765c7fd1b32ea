import BLETerminal
@testable import BlueChatScreen
import Testing

@Suite("What is drawn")
struct GoldenTests {
    private func expect(
        _ rows: [String],
        _ expected: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let expected = expected.split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0) }
        #expect(rows == expected, sourceLocation: location)
    }

    @Test func `list and chat are side by side in a wide terminal`() {
        var chatScreen = Sample.chatScreen()
        expect(
            chatScreen.rows(80, 16),
            """
            bluechat  Alice  key 1a2b 3c4d
            Ask to be friends 1     │◉✓ Bob                    chat is on, verified, -60 dBm
             ●  Mel                 │                     ── 12 May ──
            Friends 2               │                       ── new ──
            -◉✓ Bob  Will it ra… (2)│▌ Will it rain?  14:02
             ·  Ada 👩🏽‍💻  漢字        │                       It is decidedly so  14:03 read ▐
            Asked by you 1          │                     ── 13 May ──
             ·  Tim                 │                              See https://example.org ▐
            Nearby 2                │                              09:10 FAILED: no answer ▐
             ●  Eve              -71│▌ [file] map.png, 12 KiB  09:11
             ◉  Otto             -80│
            Blocked 1               │
             ·  Foe                 │
                                    │
            Bob>
            Enter send  Esc list  Ctrl-R send again  PgUp scroll  Ctrl-J new line  F1 help
            """
        )
    }

    @Test func `a narrow terminal shows the list or the chat`() {
        var chatScreen = Sample.chatScreen()
        expect(
            chatScreen.rows(40, 12),
            """
            bluechat  Alice
            ◉✓ Bob     chat is on, verified, -60 dBm
            ▌ Will it rain?  14:02
                                It is decidedly so ▐
                                14:03 read         ▐
                          ── 13 May ──
                           See https://example.org ▐
                           09:10 FAILED: no answer ▐
            ▌ [file] map.png, 12 KiB
            ▌ 09:11
            Bob>
            Enter send  Esc list  Ctrl-R send again
            """
        )
        chatScreen.press(.tab)
        expect(
            chatScreen.rows(40, 12),
            """
            bluechat  Alice                2 unread
            Ask to be friends 1
             ●  Mel
            Friends 2
            >◉✓ Bob  Will it rain?               (2)
             ·  Ada 👩🏽‍💻  漢字
            Asked by you 1
             ·  Tim
            Nearby 2
             ●  Eve                              -71
            find>
            Enter open  ↑↓ choose  Tab chat
            """
        )
    }

    @Test func `a tiny terminal has what is needed most`() {
        var chatScreen = Sample.chatScreen()
        chatScreen.show(warning: "Careful")
        expect(
            chatScreen.rows(20, 6),
            """
            bluechat  Alice
            ◉✓ Bob  chat is on,…
            ▌ KiB  09:11
            WARNING: Careful
            >
            Enter send  Esc ok
            """
        )
        chatScreen.press(.escape)
        chatScreen.type("Hi")
        #expect(chatScreen.rows(20, 1) == ["> Hi"])
        #expect(chatScreen.rows(1, 1) == [">"])
        #expect(chatScreen.rows(0, 0) == [])
    }

    @Test func `who has nobody is told what to do`() {
        var chatScreen = ChatScreen()
        expect(
            chatScreen.rows(70, 7),
            """
            bluechat
            Nobody yet. /who looks. │Choose somebody in the list: Enter opens the
                                    │chat.
                                    │
                                    │
            find>
            Enter open  ↑↓ choose  a-z find  / command  F1 help  Ctrl-C quit
            """
        )
        chatScreen.show(people: [Sample.ada])
        _ = chatScreen.open("ada")
        chatScreen.show(messages: [], hasEarlier: false, of: "ada")
        #expect(chatScreen.rows(40, 8)[2] == "No messages yet.")
    }

    @Test func `an original chat says that it is open, and counts down`() {
        var chatScreen = Sample.chatScreen(with: Sample.old, [])
        chatScreen.type("Hello 👋")
        let rows = chatScreen.rows(60, 10)
        #expect(rows[1].hasSuffix("│◉  Otto  NOT ENCRYPTED, chat is on…"))
        #expect(rows[8] == "Otto> Hello 👋")
        #expect(rows[9].hasSuffix(" 132 left"))
        #expect(chatScreen.drawn(60, 10).cursor == Position(row: 8, column: 14))
    }

    @Test func `what is loud has words as well`() {
        var person = Sample.ada
        person.hasChangedKey = true
        var chatScreen = Sample.chatScreen(with: Sample.ada, [])
        chatScreen.show(people: [person])
        chatScreen.show(radioState: "Bluetooth is off")
        expect(
            chatScreen.rows(64, 10),
            """
            bluechat  Alice                              ! Bluetooth is off
            Friends 1               │·   NEW KEY Ada 👩🏽‍💻                 away
            -·  !KEY Ada 👩🏽‍💻  漢字   │WARNING: this is another key than
                                    │before. It may be somebody else:
                                    │No messages yet.
                                    │
                                    │
                                    │
            Ada 👩🏽‍💻>
            Enter send  Esc list  PgUp scroll  Ctrl-J new line  F1 help
            """
        )
        #expect(chatScreen.rows(20, 6)[0].hasSuffix("! Bluetooth is off"))
    }

    @Test func `requests and blocking are explained`() {
        for (person, text) in [
            (Sample.mel, "Asks to be friends: /add accepts, /remove refuses."),
            (Sample.tim, "Was asked to be friends, and has not answered yet."),
            (Sample.foe, "Blocked: /unblock ends that."),
            (Sample.eve, "No friend: /add asks."),
        ] {
            var chatScreen = Sample.chatScreen(with: person)
            #expect(chatScreen.rows(59, 20)[2] == text)
        }
    }

    @Test func `colours, links and bars are where they belong`() throws {
        var chatScreen = Sample.chatScreen()
        let screen = chatScreen.drawn(80, 16)
        let row = screen.trimmedRows[7]
        let column = try #require(row.firstIndex(of: "h"))
        let cell = screen[7, row.distance(from: row.startIndex, to: column)]
        #expect(cell.style.link == "https://example.org")
        #expect(cell.style.attributes.contains(.underlined))
        #expect(screen[7, 79].style.color == .green)
        #expect(screen[4, 25] == screen[9, 25])
        #expect(screen[4, 25].style.color == .cyan)
        #expect(screen[0, 40].style == Style(nil, .reversed))
        #expect(screen[8, 60].style.color == .red)
    }
}
