import BLETerminal
@testable import BlueChatScreen
import Testing

@Suite("Commands")
struct CommandTests {
    @Test(arguments: [
        ("hello", Entry.text("hello")),
        ("", .text("")),
        (" /who", .text(" /who")),
        ("//who", .text("/who")),
        ("///", .text("//")),
        ("/who", .command(.who)),
        ("/WHO  ", .command(.who)),
        ("/friends", .command(.friends)),
        ("/me", .command(.me)),
        ("/help", .command(.help)),
        ("/quit", .command(.quit)),
        ("/resend", .command(.resend)),
        ("/delete", .command(.delete)),
        ("/edit", .command(.edit(nil))),
        ("/edit  ", .command(.edit(nil))),
        ("/edit a\nb ", .command(.edit("a\nb "))),
        ("/add", .command(.people(.add, name: nil))),
        ("/add  Bob Miller ", .command(.people(.add, name: "Bob Miller"))),
        ("/block\nBob", .command(.people(.block, name: "Bob"))),
        ("/rename Bo\nb", .command(.rename("Bo b"))),
        ("/rename ", .mistake("Say more: /rename NAME")),
        ("/file ~/a b.png", .command(.file("~/a b.png"))),
        ("/file", .mistake("Say more: /file PATH")),
        ("/search  rain", .command(.search("rain"))),
        ("/search", .mistake("Say more: /search TEXT")),
        ("/", .mistake("There is no command /: see /help. // sends what begins with /.")),
        (
            "/etc/passwd is short",
            .mistake("There is no command /etc/passwd: see /help. // sends what begins with /.")
        ),
    ])
    func `are read`(text: String, entry: Entry) {
        #expect(Entry(text) == entry)
    }

    @Test(arguments: [
        ("/who", Sample.bob, [Action.who]),
        ("/me", Sample.bob, [.showOwnKey]),
        ("/quit", Sample.bob, [.quit]),
        ("/search rain", Sample.bob, [.search("rain")]),
        ("/rename Bobby", Sample.bob, [.rename(person: "bob", to: "Bobby")]),
        ("/file /tmp/a", Sample.bob, [.sendFile(path: "/tmp/a", person: "bob")]),
        ("/leave", Sample.bob, [.leave(person: "bob")]),
        ("/verify", Sample.bob, [.verify(person: "bob")]),
        ("/block", Sample.bob, [.block(person: "bob")]),
        ("/call", Sample.ada, [.call(person: "ada")]),
        ("/call eve", Sample.bob, [.call(person: "eve")]),
        ("/add", Sample.eve, [.add(person: "eve")]),
        ("/add", Sample.mel, [.add(person: "mel")]),
        ("/unblock", Sample.foe, [.unblock(person: "foe")]),
        ("/unblock FOE", Sample.bob, [.unblock(person: "foe")]),
        ("/add ev", Sample.bob, [.add(person: "eve")]),
        ("/edit No.", Sample.bob, [.edit(message: "3", text: "No.", person: "bob")]),
        ("/resend", Sample.bob, [.resend(message: "3", person: "bob")]),
    ])
    func `become actions, and leave the input`(text: String, person: Person, actions: [Action]) {
        var chatScreen = Sample.chatScreen(with: person)
        #expect(chatScreen.enter(text) == actions)
        #expect(chatScreen.chat?.editor.text == "")
        #expect(chatScreen.notice == nil)
    }

    @Test(arguments: [
        (
            "/nonsense", Sample.bob,
            "There is no command /nonsense: see /help. // sends what begins with /."
        ),
        ("/call", Sample.bob, "The chat with Bob is on already."),
        ("/leave", Sample.ada, "No chat with Ada 👩🏽‍💻 is on."),
        ("/add", Sample.bob, "Bob is a friend already."),
        ("/add", Sample.tim, "Tim has been asked already."),
        ("/add", Sample.foe, "Foe is blocked: /unblock first."),
        ("/call", Sample.foe, "Foe is blocked: /unblock first."),
        ("/block", Sample.foe, "Foe is blocked already."),
        ("/unblock", Sample.bob, "Bob is not blocked."),
        ("/remove", Sample.eve, "Eve is not among your friends."),
        ("/add", Sample.old, "Otto has the original app, which has no keys."),
        ("/verify", Sample.old, "Otto has the original app, which has no keys."),
        ("/file a", Sample.old, "The original app takes no files."),
        ("/delete", Sample.old, "The original app keeps what it has: nothing can be changed."),
        ("/edit a", Sample.old, "The original app keeps what it has: nothing can be changed."),
        ("/add zoe", Sample.bob, "Nobody is called zoe."),
        ("/rename", Sample.bob, "Say more: /rename NAME"),
    ])
    func `that can't be done say why, and stay in the input`(
        text: String,
        person: Person,
        notice: String
    ) {
        var chatScreen = Sample.chatScreen(with: person)
        #expect(chatScreen.enter(text) == [])
        #expect(chatScreen.notice == notice)
        #expect(chatScreen.written == text)
        chatScreen.type("x")
        #expect(chatScreen.notice == nil)
    }

    @Test func `need one person of a name`() {
        var chatScreen = ChatScreen()
        chatScreen.show(people: [
            Person(id: "1", name: "Sam", kind: .friend),
            Person(id: "2", name: "sam", kind: .stranger),
            Person(id: "3", name: "Samuel", kind: .stranger),
            Person(id: "4", name: "Sa\u{1B}m", kind: .stranger),
        ])
        #expect(chatScreen.enter("/call Sam") == [])
        #expect(chatScreen.notice == "2 people are called Sam: choose one in the list.")
        chatScreen.press(.escape)
        chatScreen.press(.escape)
        // Of the two only one can be added.
        #expect(chatScreen.enter("/add SAM") == [.add(person: "2")])
        #expect(chatScreen.enter("/call samu") == [.call(person: "3")])
        #expect(chatScreen.enter("/call sa␛m") == [.call(person: "4")])
        #expect(chatScreen.enter("/unblock sa") == [])
        #expect(chatScreen.notice == "Sam is not blocked.")
    }

    @Test func `are about who is chosen in the list, while that has the keys`() {
        var chatScreen = Sample.chatScreen()
        chatScreen.press(.tab)
        chatScreen.press(.up)
        #expect(chatScreen.enter("/add") == [.add(person: "mel")])
        #expect(chatScreen.focus == .list)
        #expect(chatScreen.written == "")
        #expect(chatScreen.enter("//hello") == [])
        #expect(chatScreen.notice == "Choose somebody to send this to.")
        chatScreen.press(.escape)
        chatScreen.press(.escape)
        #expect(chatScreen.enter("/what") == [])
        #expect(chatScreen.notice?.contains("/what") == true)
        #expect(chatScreen.written == "/what")
        var empty = ChatScreen()
        for command in ["/add", "/rename a", "/file a", "/edit a", "/delete", "/resend"] {
            #expect(empty.enter(command) == [])
            let isAboutChats = ["/file a", "/edit a", "/delete", "/resend"].contains(command)
            let notice = isAboutChats ? "Open a chat first." : "Choose somebody first."
            #expect(empty.notice == notice, "\(command)")
            empty.press(.escape, times: 2)
        }
    }

    @Test func `ask before somebody is removed`() {
        for (key, actions) in [("y", [Action.remove(person: "bob")]), ("n", []), ("N", [])] {
            var chatScreen = Sample.chatScreen()
            #expect(chatScreen.enter("/remove") == [])
            let rows = chatScreen.rows(60, 10)
            #expect(rows[7] == "Remove Bob? y/n")
            #expect(rows[9] == "y yes  n no")
            #expect(chatScreen.drawn(60, 10).cursor == nil)
            chatScreen.type("x")
            chatScreen.press(.enter)
            chatScreen.press(.character("y"), .control)
            #expect(chatScreen.handle(.paste(Paste("y"))) == [])
            #expect(chatScreen.type(key) == actions)
            #expect(chatScreen.question == nil)
            #expect(chatScreen.written == "")
        }
    }

    @Test func `accept somebody who has called with the original app`() {
        var person = Sample.old
        person.kind = .requestReceived
        var chatScreen = ChatScreen()
        chatScreen.show(people: [person])
        _ = chatScreen.open("old")
        #expect(chatScreen.rows(59, 20)[2] == "Asks to be friends: /add accepts, /remove refuses.")
        #expect(chatScreen.enter("/add") == [.add(person: "old")])
    }

    @Test func `close the chat with somebody who is removed`() {
        var chatScreen = Sample.chatScreen()
        chatScreen.type("Hi")
        chatScreen.press(.tab)
        chatScreen.enter("/remove bob")
        #expect(chatScreen.type("y") == [.typing(false, person: "bob"), .remove(person: "bob")])
        #expect(chatScreen.openPerson == nil)
        #expect(chatScreen.focus == .list)
        #expect(!chatScreen.rows(80, 24).contains { $0.contains("It is decidedly so") })
        _ = chatScreen.open("bob")
        #expect(chatScreen.written == "")
    }

    @Test func `ask before a message is deleted`() {
        var chatScreen = Sample.chatScreen()
        chatScreen.enter("/delete")
        #expect(chatScreen.rows(60, 10)[7] == "Delete \"See https://example.org\" for Bob? y/n")
        chatScreen.press(.escape)
        #expect(chatScreen.type("y") == [.typing(true, person: "bob")])
        chatScreen.press(.backspace)
        chatScreen.enter("/delete")
        #expect(chatScreen.type("Y") == [.delete(message: "3", person: "bob")])
    }

    @Test func `change the last own message`() {
        var chatScreen = Sample.chatScreen()
        #expect(chatScreen.enter("/edit") == [])
        #expect(chatScreen.written == "/edit See https://example.org")
        chatScreen.type("/x")
        #expect(
            chatScreen.press(.enter)
                == [.edit(message: "3", text: "See https://example.org/x", person: "bob")]
        )
        var messages = Sample.messages
        messages[2].isDeleted = true
        chatScreen.show(messages: messages, hasEarlier: false, of: "bob")
        #expect(chatScreen.enter("/edit a") == [.edit(message: "2", text: "a", person: "bob")])
        messages[1].text = ""
        messages[1].file = Message.File(name: "a", byteCount: 1)
        chatScreen.show(messages: messages, hasEarlier: false, of: "bob")
        #expect(chatScreen.enter("/edit a") == [])
        #expect(chatScreen.notice == "Your last message is a file.")
        chatScreen.show(messages: [messages[0]], hasEarlier: false, of: "bob")
        #expect(chatScreen.press(.enter) == [])
        #expect(chatScreen.notice == "You have written nothing here yet.")
    }

    @Test func `change the last own message from the list, and keep what was being written`() {
        var chatScreen = Sample.chatScreen()
        chatScreen.type("draft")
        chatScreen.press(.tab)
        #expect(chatScreen.enter("/edit") == [])
        #expect(chatScreen.written == "/edit See https://example.org")
        chatScreen.press(.up)
        #expect(chatScreen.written == "draft")
    }

    @Test func `lead to friends, and to the list`() {
        var chatScreen = Sample.chatScreen(with: Sample.eve)
        chatScreen.enter("/friends")
        #expect(chatScreen.focus == .list)
        #expect(chatScreen.list.selected?.id == "bob")
        #expect(chatScreen.notice == "2 friends, 1 of them near.")
        chatScreen.press(.tab)
        _ = chatScreen.drawn(100, 20)
        chatScreen.enter("/who")
        #expect(chatScreen.focus == .chat)
        _ = chatScreen.drawn(40, 20)
        chatScreen.enter("/who")
        #expect(chatScreen.focus == .list)
    }

    @Test func `are all on the page of help`() {
        let help = Page.help.lines.joined(separator: "\n")
        for name in [
            "who", "friends", "rename", "file", "search", "edit", "delete", "resend", "me", "quit",
        ] + PersonCommand.allCases.map(\.rawValue) {
            #expect(help.contains("\n/\(name) "), "\(name)")
        }
        var chatScreen = Sample.chatScreen()
        chatScreen.enter("/help")
        #expect(chatScreen.page?.page == .help)
        #expect(chatScreen.written == "")
        #expect(chatScreen.rows(80, 24)[0] == "Help")
    }

    @Test func `send again all that failed, the oldest first`() {
        var messages = Sample.messages
        messages[1].state = .failed(reason: "")
        var chatScreen = Sample.chatScreen(with: Sample.bob, messages)
        chatScreen.type("draft")
        let resent: [Action] = ["2", "3"].map { .resend(message: $0, person: "bob") }
        #expect(chatScreen.press(.character("r"), .control) == resent)
        #expect(chatScreen.written == "draft")
        chatScreen.show(messages: [], hasEarlier: false, of: "bob")
        #expect(chatScreen.press(.character("r"), .control) == [])
        #expect(chatScreen.notice == "Nothing has failed here.")
    }
}
