import BLETerminal
import Testing

@Suite("Links in text")
struct WebLinksTests {
    @Test(arguments: [
        ("see https://example.org/a?b=c#d.", ["https://example.org/a?b=c#d"]),
        ("HTTP://EXAMPLE.ORG", ["HTTP://EXAMPLE.ORG"]),
        ("(https://example.org)", ["https://example.org"]),
        ("https://example.org/a_(b)", ["https://example.org/a_(b)"]),
        ("(see https://example.org/a_(b)), or", ["https://example.org/a_(b)"]),
        ("<https://example.org> \"http://b.c\"", ["https://example.org", "http://b.c"]),
        ("http://[::1]:80/", ["http://[::1]:80/"]),
        ("http://a.b\nhttp://c.d!?", ["http://a.b", "http://c.d"]),
        ("https:// http://? xhttp://a.b ftp://a.b", []),
        ("http://a.b\u{202E}c", ["http://a.b"]),
        ("http://a.b/\u{1B}]8", ["http://a.b/"]),
        ("http://http://a.b", ["http://http://a.b"]),
        ("https://a.b/**", ["https://a.b/"]),
    ])
    func `are found where people end them`(text: String, links: [String]) {
        #expect(WebLinks.find(in: text).map(\.target) == links)
        #expect(WebLinks.find(in: text).map { String(text[$0.range]) } == links)
    }

    @Test func `lead to ASCII`() {
        let links = WebLinks.find(in: "https://de.wikipedia.org/wiki/Zürich")
        #expect(links.map(\.target) == ["https://de.wikipedia.org/wiki/Z%C3%BCrich"])
    }

    @Test func `are not endless`() {
        let long = "https://a.b/" + String(repeating: "c", count: 3_000)
        #expect(WebLinks.find(in: long).isEmpty)
        #expect(WebLinks.find(in: String(repeating: "http://", count: 20_000)).isEmpty)
        #expect(WebLinks.find(in: String(repeating: "http://a ", count: 20_000)).count == 20_000)
    }
}
