import Testing

@testable import BlueChat

@Suite("A name")
struct ChatNameTests {
    @Test(arguments: ["A", "Alice", "sixteen letters!", "👩‍👩‍👧‍👦👋", "ÄÖÜ ß"])
    func `has 1 to 16 characters, as the original counts`(text: String) throws {
        #expect(try ChatName(text).text == text)
    }

    @Test(arguments: ["", "   ", "seventeen letters", "a\nb", "a\u{1B}[2J"])
    func `is refused`(text: String) {
        #expect { try ChatName(text) } throws: { ($0 as? ChatError)?.code == .invalidName }
    }

    @Test func `is cut at a character where an advertisement has no room for it`() throws {
        #expect(try ChatName("Alice").advertised == "Alice")
        let long = try ChatName("日本語日本語日本語日本語")
        #expect(long.advertised == "日本語日本語日本語")
        #expect(long.text.count == 12)
        // A family has 25 bytes; half of one is none.
        #expect(try ChatName("👋👩‍👩‍👧‍👦").advertised == "👋👩‍👩‍👧‍👦")
        #expect(try ChatName("👋👋👩‍👩‍👧‍👦").advertised == "👋👋")
    }

    @Test func `is never empty on the air`() throws {
        // One character of 16 UTF-16 code units and 31 bytes.
        let long = try ChatName("e" + String(repeating: "\u{301}", count: 15))
        #expect(long.text.count == 1)
        #expect(long.advertised.utf8.count == 29)
        #expect(long.advertised.unicodeScalars.first == "e")
    }

    @Test func `leaves out spaces at its ends`() throws {
        #expect(try ChatName("  Bob ").text == "Bob")
    }
}
