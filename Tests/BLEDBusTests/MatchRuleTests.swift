import Testing

@testable import BLEDBus

@Suite("A match rule")
struct MatchRuleTests {
    @Test func `is written as the bus wants it`() {
        let rule = MatchRule(
            sender: "org.bluez",
            interface: "a.b",
            member: "C",
            pathNamespace: "/org/bluez",
            firstArgument: "it's"
        )
        #expect(
            rule.text == "type='signal',sender='org.bluez',interface='a.b',member='C',"
                + #"path_namespace='/org/bluez',arg0='it'\''s'"#
        )
    }

    @Test(arguments: [
        (MatchRule(), true), (MatchRule(interface: "a.b", member: "C"), true),
        (MatchRule(interface: "a.c"), false), (MatchRule(member: "D"), false),
        (MatchRule(path: "/x/y"), true), (MatchRule(path: "/x"), false),
        (MatchRule(pathNamespace: "/x"), true), (MatchRule(pathNamespace: "/x/yy"), false),
        (MatchRule(firstArgument: "one"), true), (MatchRule(firstArgument: "two"), false),
        (MatchRule(sender: "org.bluez"), false),
    ])
    func `matches here as on the bus`(rule: MatchRule, isMatch: Bool) throws {
        let signal = try Message.signal(from: "/x/y", "a.b", "C", [.string("one"), .int32(2)])
        #expect(rule.matches(signal, owner: ":1.7") == isMatch)
    }

    @Test func `of a first argument matches no signal that has none`() throws {
        let rule = MatchRule(firstArgument: "one")
        #expect(!rule.matches(try .signal(from: "/", "a.b", "C"), owner: nil))
        #expect(!rule.matches(try .signal(from: "/", "a.b", "C", [.int32(1)]), owner: nil))
    }

    @Test func `escapes an apostrophe also with marks behind it`() {
        let rule = MatchRule(firstArgument: "'\u{654}")
        let expected = "type='signal',arg0=''\\'\u{27}\u{654}'"
        #expect(rule.text.unicodeScalars.elementsEqual(expected.unicodeScalars))
    }
}
