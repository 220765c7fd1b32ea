import BLETerminal
@testable import BlueChatScreen
import Testing

@Suite("Writing")
struct ChatTests {
    @Test func `sends what was entered`() {
        var chatScreen = Sample.chatScreen(with: Sample.ada)
        #expect(chatScreen.enter("Hi 👋🏽 漢字") == [.send("Hi 👋🏽 漢字", to: "ada")])
        #expect(chatScreen.written == "")
        #expect(chatScreen.enter("//who") == [.send("/who", to: "ada")])
        #expect(chatScreen.enter("") == [])
        #expect(chatScreen.enter("  ") == [])
        #expect(chatScreen.written == "  ")
    }

    @Test func `has lines`() {
        var chatScreen = Sample.chatScreen(with: Sample.ada)
        chatScreen.type("one")
        chatScreen.press(.enter, .alt)
        chatScreen.type("two")
        chatScreen.press(.character("j"), .control)
        chatScreen.type("three")
        #expect(chatScreen.rows(50, 16)[12...14] == ["Ada 👩🏽‍💻> one", "        two", "        three"])
        #expect(chatScreen.drawn(50, 16).cursor == Position(row: 14, column: 13))
        chatScreen.press(.up)
        #expect(chatScreen.drawn(50, 16).cursor == Position(row: 13, column: 11))
        #expect(chatScreen.press(.enter) == [.send("one\ntwo\nthree", to: "ada")])
    }

    @Test func `takes pastes`() {
        var chatScreen = Sample.chatScreen(with: Sample.ada)
        _ = chatScreen.handle(.paste(Paste("a\u{1B}[31m\u{0}\n/who\tb")))
        #expect(chatScreen.written == "a[31m\n/who    b")
        _ = chatScreen.handle(.paste(Paste("\u{1B}\u{0}")))
        #expect(chatScreen.written == "a[31m\n/who    b")
        #expect(chatScreen.notice == nil)
        #expect(chatScreen.drawn(40, 10).faults == [])
        _ = chatScreen.handle(.paste(Paste("x", isCut: true)))
        #expect(chatScreen.notice == "What was pasted is too long: not all of it is here.")
        chatScreen.press(.enter)
        let tower = "e" + String(repeating: "\u{301}", count: 60_000)
        _ = chatScreen.handle(.paste(Paste(tower)))
        #expect(chatScreen.written.unicodeScalars.count == 32)
    }

    @Test func `is not endless`() {
        var chatScreen = Sample.chatScreen(with: Sample.ada)
        let part = String(repeating: "0123456789abcdef", count: 4_096)
        for _ in 0..<2 { _ = chatScreen.handle(.paste(Paste(part))) }
        #expect(chatScreen.notice == nil)
        chatScreen.type("x")
        #expect(chatScreen.notice == "The input is full.")
        #expect(chatScreen.written.utf8.count == 131_072)
    }

    @Test func `remembers what was entered`() {
        var chatScreen = Sample.chatScreen(with: Sample.ada)
        chatScreen.enter("one")
        chatScreen.enter("/who")
        chatScreen.type("thr")
        chatScreen.press(.up)
        #expect(chatScreen.written == "/who")
        chatScreen.press(.up)
        #expect(chatScreen.written == "one")
        chatScreen.press(.down, times: 2)
        #expect(chatScreen.written == "thr")
    }

    @Test func `keeps a draft for each chat`() {
        var chatScreen = Sample.chatScreen()
        chatScreen.type("to Bob")
        _ = chatScreen.open("ada")
        #expect(chatScreen.written == "")
        chatScreen.type("to Ada")
        #expect(chatScreen.press(.up, .alt) == [.open(person: "bob")])
        #expect(chatScreen.written == "to Bob")
        #expect(chatScreen.press(.down, .alt) == [.open(person: "ada")])
        #expect(chatScreen.written == "to Ada")
        chatScreen.press(.enter)
        _ = chatScreen.open("bob")
        chatScreen.press(.up)
        // What was sent to others is not offered here.
        #expect(chatScreen.written == "to Bob")
        #expect(chatScreen.open("nobody") == [])
        #expect(chatScreen.open("bob") == [])
    }

    @Test func `keeps no more than 256 drafts`() {
        let people = (0..<300).map { Person(id: "\($0)", name: "\($0)", kind: .friend) }
        var chatScreen = ChatScreen()
        chatScreen.show(people: people)
        for person in people {
            _ = chatScreen.open(person.id)
            if person.id == "20" { chatScreen.enter("sent") } else { chatScreen.type("draft") }
        }
        #expect(chatScreen.drafts.count == 256)
        _ = chatScreen.open("10")
        #expect(chatScreen.written == "")
        _ = chatScreen.open("200")
        #expect(chatScreen.written == "draft")
    }

    @Test func `tells when the user is typing`() {
        var chatScreen = Sample.chatScreen()
        #expect(chatScreen.type("Hi") == [.typing(true, person: "bob")])
        #expect(chatScreen.press(.backspace, times: 2) == [.typing(false, person: "bob")])
        #expect(chatScreen.type("/wh") == [])
        chatScreen.press(.backspace, times: 3)
        #expect(chatScreen.type("//") == [.typing(true, person: "bob")])
        #expect(
            chatScreen.press(.enter) == [.send("/", to: "bob"), .typing(false, person: "bob")]
        )
        #expect(chatScreen.type("x") == [.typing(true, person: "bob")])
        #expect(chatScreen.open("ada") == [.typing(false, person: "bob"), .open(person: "ada")])
        #expect(chatScreen.type("x") == [])
        var original = Sample.chatScreen(with: Sample.old)
        #expect(original.type("x") == [])
    }

    @Test func `tells it again in another chat with the same person`() {
        var chatScreen = Sample.chatScreen()
        chatScreen.type("Hi")
        chatScreen.show(people: [])
        #expect(chatScreen.type("x") == [])
        chatScreen.show(people: Sample.people)
        #expect(chatScreen.type("x") == [.typing(true, person: "bob")])
    }

    @Test(arguments: [
        (Sample.old, String(repeating: "a", count: 140), ""),
        (Sample.old, String(repeating: "👋", count: 70), ""),
        (
            Sample.old, String(repeating: "👋", count: 70) + "a",
            "Not sent: 1 characters too many, 140 fit."
        ),
        (Sample.old, "a\nb", "Not sent: the original app takes one line at a time."),
        (Sample.ada, String(repeating: "a", count: 65_536), ""),
        (
            Sample.ada, String(repeating: "a", count: 65_530) + "漢字é",
            "Not sent: 2 bytes too many, 65536 fit."
        ),
        (Sample.foe, "hello", "Foe is blocked: /unblock first."),
    ])
    func `sends nothing that is too long`(person: Person, text: String, notice: String) {
        var chatScreen = Sample.chatScreen(with: person)
        _ = chatScreen.handle(.paste(Paste(text)))
        let actions = chatScreen.press(.enter)
        #expect(actions == (notice.isEmpty ? [.send(text, to: person.id)] : []))
        #expect(chatScreen.notice ?? "" == notice)
        #expect(chatScreen.written == (notice.isEmpty ? "" : text))
    }

    @Test(arguments: [
        (Sample.old, 0, "140 left"), (Sample.old, 139, "1 left"), (Sample.old, 140, "0 left"),
        (Sample.old, 141, "1 too many"), (Sample.ada, 64_536, ""), (Sample.ada, 64_537, "999 left"),
        (Sample.ada, 65_540, "4 too many"),
    ])
    func `says how much may still be written`(person: Person, count: Int, expected: String) {
        var chatScreen = Sample.chatScreen(with: person)
        _ = chatScreen.handle(.paste(Paste(String(repeating: "a", count: count))))
        let keys = chatScreen.rows(44, 12)[11]
        let isShown = keys.hasSuffix(" left") || keys.hasSuffix(" many")
        #expect(expected.isEmpty ? !isShown : keys.hasSuffix(" " + expected), "\(keys)")
    }

    @Test func `says it louder when little is left`() {
        var chatScreen = Sample.chatScreen(with: Sample.old)
        for (count, color) in [(120, nil), (121, Color.yellow), (141, .red)] {
            chatScreen.press(.character("u"), .control)
            _ = chatScreen.handle(.paste(Paste(String(repeating: "a", count: count))))
            #expect(chatScreen.drawn(60, 8)[7, 59].style.color == color)
        }
    }

    @Test func `counts what is sent, not what is written`() {
        var chatScreen = Sample.chatScreen(with: Sample.old)
        chatScreen.type("//ab")
        #expect(chatScreen.rows(60, 8)[7].hasSuffix(" 137 left"))
        chatScreen.press(.home)
        chatScreen.press(.delete)
        #expect(chatScreen.rows(60, 8)[7].hasSuffix("left") == false)
    }

    @Test func `refuses an edit that is too long`() {
        var chatScreen = Sample.chatScreen()
        _ = chatScreen.handle(.paste(Paste("/edit " + String(repeating: "a", count: 65_537))))
        #expect(chatScreen.rows(60, 12)[11].hasSuffix(" 1 too many"))
        #expect(chatScreen.press(.enter) == [])
        #expect(chatScreen.notice == "Not sent: 1 bytes too many, 65536 fit.")
    }

    @Test func `goes on when somebody has another id`() {
        var chatScreen = Sample.chatScreen(with: Sample.eve)
        chatScreen.type("draft")
        _ = chatScreen.open("bob")
        chatScreen.type("Hi")
        chatScreen.enter("")
        chatScreen.type("x")
        chatScreen.identify("bob", as: "key of bob")
        chatScreen.identify("eve", as: "key of eve")
        #expect(chatScreen.openPerson == "key of bob")
        #expect(
            chatScreen.press(.enter) == [
                .send("x", to: "key of bob"), .typing(false, person: "key of bob"),
            ]
        )
        _ = chatScreen.open("key of eve")
        #expect(chatScreen.written == "draft")
        chatScreen.press(.character("u"), .control)
        _ = chatScreen.open("key of bob")
        chatScreen.enter("/remove")
        chatScreen.identify("key of bob", as: "b")
        #expect(chatScreen.type("y") == [.remove(person: "b")])
    }

    @Test func `ends with Ctrl-C, wherever it is`() {
        let end = Input.key(Key("c", .control))
        var chatScreen = Sample.chatScreen()
        #expect(chatScreen.handle(end) == [.quit])
        chatScreen.press(.tab)
        #expect(chatScreen.handle(end) == [.quit])
        chatScreen.press(.function(1))
        #expect(chatScreen.handle(end) == [.quit])
        chatScreen.press(.escape)
        chatScreen.enter("/remove bob")
        #expect(chatScreen.question != nil)
        #expect(chatScreen.handle(end) == [.quit])
    }
}
