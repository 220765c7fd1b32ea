@testable import BlueChatScreen

/// People and messages for the tests.
enum Sample {
    static let bob = Person(
        id: "bob",
        name: "Bob",
        kind: .friend,
        isNear: true,
        signalStrength: -60,
        isChatting: true,
        isVerified: true,
        unreadCount: 2,
        lastText: "Will it rain?"
    )
    static let ada = Person(id: "ada", name: "Ada 👩🏽‍💻", kind: .friend, lastText: "漢字")
    static let eve = Person(
        id: "eve",
        name: "Eve",
        kind: .stranger,
        isNear: true,
        signalStrength: -71
    )
    static let old = Person(
        id: "old",
        name: "Otto",
        kind: .stranger,
        isNear: true,
        signalStrength: -80,
        isChatting: true,
        isOriginal: true
    )
    static let mel = Person(id: "mel", name: "Mel", kind: .requestReceived, isNear: true)
    static let tim = Person(id: "tim", name: "Tim", kind: .requested)
    static let foe = Person(id: "foe", name: "Foe", kind: .blocked)

    static let people = [bob, ada, eve, old, mel, tim, foe]

    static let messages = [
        Message(id: "1", isOwn: false, text: "Will it rain?", time: "14:02", day: "12 May"),
        Message(
            id: "2",
            isOwn: true,
            text: "It is decidedly so",
            time: "14:03",
            day: "12 May",
            state: .read
        ),
        Message(
            id: "3",
            isOwn: true,
            text: "See https://example.org",
            time: "09:10",
            day: "13 May",
            state: .failed(reason: "no answer")
        ),
        Message(
            id: "4",
            isOwn: false,
            text: "",
            file: Message.File(name: "map.png", byteCount: 12_000),
            time: "09:11",
            day: "13 May"
        ),
    ]

    /// Messages `first`… of one line each.
    static func numbered(_ numbers: Range<Int>, isOwn: Bool = false) -> [Message] {
        numbers.map { number in
            Message(
                id: "m\(number)",
                isOwn: isOwn,
                text: "message \(number)",
                time: "",
                day: "",
                state: isOwn ? .sent : nil
            )
        }
    }

    /// A screen with all people, and the chat of one of them.
    static func chatScreen(with person: Person = bob, _ messages: [Message] = messages)
        -> ChatScreen
    {
        var chatScreen = ChatScreen()
        chatScreen.show(ownName: "Alice", key: "1a2b 3c4d")
        chatScreen.show(people: people)
        _ = chatScreen.open(person.id)
        chatScreen.show(messages: messages, hasEarlier: false, of: person.id)
        return chatScreen
    }
}
