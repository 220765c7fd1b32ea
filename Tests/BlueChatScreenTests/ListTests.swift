import BLETerminal
@testable import BlueChatScreen
import Testing

@Suite("The list")
struct ListTests {
    private func chatScreen(_ people: [Person] = Sample.people) -> ChatScreen {
        var chatScreen = ChatScreen()
        chatScreen.show(people: people)
        return chatScreen
    }

    @Test func `opens who is chosen, and goes over headings`() {
        var chatScreen = chatScreen()
        #expect(chatScreen.list.selected?.id == "mel")
        chatScreen.press(.down)
        #expect(chatScreen.press(.enter) == [.open(person: "bob")])
        #expect(chatScreen.focus == .chat)
        #expect(chatScreen.openPerson == "bob")
        chatScreen.press(.tab)
        chatScreen.press(.up)
        #expect(chatScreen.press(.enter) == [.open(person: "mel")])
    }

    @Test func `stays at its ends`() {
        var chatScreen = chatScreen()
        chatScreen.press(.up, times: 3)
        #expect(chatScreen.list.selected?.id == "mel")
        chatScreen.press(.end)
        chatScreen.press(.down, times: 3)
        #expect(chatScreen.list.selected?.id == "foe")
        chatScreen.press(.home)
        #expect(chatScreen.list.selected?.id == "mel")
        chatScreen.press(.pageDown)
        #expect(chatScreen.list.selected?.id == "foe")
        chatScreen.press(.pageUp)
        #expect(chatScreen.list.selected?.id == "mel")
    }

    @Test func `keeps who is chosen while others come and go`() {
        var chatScreen = chatScreen()
        chatScreen.press(.end)
        chatScreen.press(.up)
        #expect(chatScreen.list.selected?.id == "old")
        chatScreen.show(people: [Sample.foe, Sample.old, Sample.mel])
        #expect(chatScreen.list.selected?.id == "old")
        chatScreen.show(people: [Sample.foe, Sample.mel])
        #expect(chatScreen.list.selected?.id == "foe")
        chatScreen.show(people: [])
        #expect(chatScreen.list.selected == nil)
        #expect(chatScreen.press(.enter) == [])
        #expect(chatScreen.notice == "There is nobody to open.")
        chatScreen.show(people: Sample.people)
        #expect(chatScreen.list.selected?.id == "foe")
    }

    @Test func `shows who has the letters in the name`() {
        var chatScreen = chatScreen()
        chatScreen.type("o")
        #expect(chatScreen.rows(40, 12)[1...6].filter { !$0.isEmpty }.count == 6)
        chatScreen.type("TT")
        #expect(
            chatScreen.rows(40, 8)[1...2] == [
                "Nearby 1", ">◉  Otto                             -80",
            ]
        )
        chatScreen.type("x")
        #expect(chatScreen.rows(40, 8)[1] == "No such name.")
        chatScreen.press(.backspace)
        #expect(chatScreen.press(.enter) == [.open(person: "old")])
        chatScreen.press(.tab)
        #expect(chatScreen.written == "")
        #expect(chatScreen.list.rows.count == 12)
    }

    @Test func `is cleared, and left, with Escape`() {
        var chatScreen = chatScreen()
        chatScreen.type("bo")
        chatScreen.press(.escape)
        #expect(chatScreen.written == "")
        chatScreen.press(.escape)
        #expect(chatScreen.focus == .list)
        #expect(chatScreen.notice == "Choose somebody: Enter opens the chat.")
        _ = chatScreen.open("bob")
        chatScreen.press(.escape)
        #expect(chatScreen.notice == nil)
        chatScreen.press(.escape)
        #expect(chatScreen.focus == .list)
        chatScreen.press(.tab)
        #expect(chatScreen.focus == .chat)
    }

    @Test func `scrolls so that who is chosen is seen`() {
        let people = (0..<100).map { number in
            Person(id: "\(number)", name: "Person \(number)", kind: .friend)
        }
        var chatScreen = chatScreen(people)
        for _ in 0..<99 {
            chatScreen.press(.down)
            #expect(chatScreen.rows(30, 9).contains { $0.hasPrefix(">") })
        }
        #expect(chatScreen.rows(30, 9)[6] == ">·  Person 99")
        chatScreen.press(.home)
        #expect(chatScreen.rows(30, 9)[1...2] == ["Friends 100", ">·  Person 0"])
    }

    @Test func `gets shorter while there is no room for it`() {
        let people = (0..<100).map { number in
            Person(id: "\(number)", name: "Person \(number)", kind: .friend)
        }
        var chatScreen = chatScreen(people)
        chatScreen.press(.end)
        #expect(chatScreen.rows(30, 9)[6] == ">·  Person 99")
        chatScreen.show(people: [people[0]])
        #expect(chatScreen.rows(30, 1) == ["find>"])
        #expect(chatScreen.rows(30, 9)[1...2] == ["Friends 1", ">·  Person 0"])
    }

    @Test func `says how many messages were not read`() {
        var people = Sample.people
        people[1].unreadCount = 12_000
        var chatScreen = chatScreen(people)
        let rows = chatScreen.rows(40, 12)
        #expect(rows[0].hasSuffix(" 12002 unread"))
        #expect(rows.contains { $0.hasSuffix("(999+)") })
        #expect(rows.contains { $0.hasSuffix("Will it rain?               (2)") })
        _ = chatScreen.open("ada")
        #expect(chatScreen.rows(40, 12)[0].hasSuffix(" 2 unread"))
        people[0].unreadCount = .max
        people[2].unreadCount = .max
        chatScreen.show(people: people)
        #expect(chatScreen.drawn(40, 12).faults == [])
    }

    @Test func `shows who is typing`() {
        var person = Sample.bob
        person.isTyping = true
        var chatScreen = chatScreen([person])
        #expect(chatScreen.rows(40, 8)[2] == ">◉✓ Bob  typing…                     (2)")
        _ = chatScreen.open("bob")
        #expect(chatScreen.rows(40, 8)[1].hasPrefix("◉✓ Bob  typing…, chat is on"))
    }

    @Test func `can't be made to say what is not true`() {
        var person = Sample.eve
        person.name = "Bob ✓ verified (3)"
        var chatScreen = chatScreen([Sample.bob, person])
        _ = chatScreen.open("eve")
        // The mark is before the name, the facts are at the right.
        #expect(chatScreen.rows(70, 8)[4].hasPrefix("-●  Bob ✓ verified … -71│"))
        #expect(
            chatScreen.rows(70, 8)[1].hasSuffix("│●  Bob ✓ verified (3)           near, -71 dBm")
        )
    }

    @Test(arguments: [
        (20, " ●  漢字漢字漢…  (2)"),
        (19, " ●  漢字漢字漢… (2)"),
        (16, " ●  漢字漢…  (2)"), (15, " ●  漢字漢字漢…"),
        (6, " ●  …"), (3, " ●"), (1, ""),
    ])
    func `cuts names at their true width`(width: Int, expected: String) {
        var person = Sample.mel
        person.name = "漢字漢字漢字漢字漢字漢字"
        person.unreadCount = 2
        var screen = Screen(Size(columns: width, rows: 1))
        let row = PeopleList.row(person, width: width, mark: " ", .plain)
        screen.write(row, at: Position(row: 0, column: 0), width: width)
        #expect(screen.trimmedRows == [expected])
        #expect(screen.faults == [])
    }
}
