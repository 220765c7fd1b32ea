import BLETerminal
@testable import BlueChatScreen
import TestThreads
import Testing

/// Prints how long things take; nothing fails because of a time.
@Suite("Speed", .ownThread, .serialized)
struct SpeedTests {
    private func measure(_ what: String, _ work: () -> Void) {
        let times = (0..<20).map { _ in ContinuousClock().measure(work) }.sorted()
        print("speed | \(what) | \(times[10]) | \(times[19])")
    }

    @Test func `of a list of 10,000 people`() {
        let people = (0..<10_000).map { number in
            Person(
                id: "\(number)",
                name: "Person \(number)",
                kind: number % 2 == 0 ? .friend : .stranger,
                isNear: number % 3 == 0,
                lastText: "Will it rain?"
            )
        }
        var chatScreen = ChatScreen()
        measure("show 10,000 people") { chatScreen.show(people: people) }
        chatScreen.press(.end)
        measure("draw 10,000 people, 120 × 40") { _ = chatScreen.drawn(120, 40) }
        measure("find among 10,000 people") {
            chatScreen.type("9")
            chatScreen.press(.backspace)
        }
        #expect(chatScreen.rows(120, 40).contains { $0.contains(">●  Person 9999") })
    }

    @Test func `of a chat of 2,000 messages`() {
        let long = String(repeating: "Will it rain, https://example.org? ", count: 1_800)
        var messages = Sample.numbered(0..<2_000)
        var chatScreen = Sample.chatScreen(with: Sample.ada, messages)
        measure("show 2,000 messages") {
            chatScreen.show(messages: messages, hasEarlier: false, of: "ada")
        }
        measure("draw 2,000 messages, 120 × 40") { _ = chatScreen.drawn(120, 40) }
        measure("draw 2,000 messages, 300 × 100") { _ = chatScreen.drawn(300, 100) }
        measure("a page up, and draw") {
            chatScreen.press(.pageUp)
            _ = chatScreen.drawn(120, 40)
        }
        messages[1_999].text = long
        chatScreen.show(messages: messages, hasEarlier: false, of: "ada")
        chatScreen.press(.end)
        var isWide = false
        measure("draw a message of 63,000 bytes anew") {
            isWide.toggle()
            _ = chatScreen.drawn(isWide ? 120 : 121, 40)
        }
        measure("draw a message of 63,000 bytes again") { _ = chatScreen.drawn(120, 40) }
        _ = chatScreen.handle(.paste(Paste(long)))
        measure("type into 63,000 bytes, and draw") {
            chatScreen.type("x")
            _ = chatScreen.drawn(120, 40)
        }
        #expect(chatScreen.chat?.editor.text.utf8.count ?? 0 > 63_000)
    }
}
