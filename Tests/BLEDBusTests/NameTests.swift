import Testing

@testable import BLEDBus

@Suite("Names that libdbus would abort over")
struct NameTests {
    @Test(arguments: ["/", "/a", "/org/bluez/hci0/dev_00_AA", "/_/0"])
    func `are paths`(text: String) throws {
        #expect(try ObjectPath(text).rawValue == text)
    }

    @Test(arguments: ["", "a", "//", "/a/", "/a//b", "/a-b", "/ä", "/a b", "/a\0b", "a/b"])
    func `are no paths`(text: String) {
        #expect(throws: BusError.self) { try ObjectPath(text) }
    }

    @Test(arguments: [
        "", "s", "a{sv}", "a{oa{sa{sv}}}", "(ii)", "a(ya{qv})", "aaas", "v", "h",
        String(repeating: "a", count: 32) + "i",
    ])
    func `are signatures`(text: String) throws {
        #expect(try Signature(text).rawValue == text)
    }

    @Test(arguments: [
        "a", "()", "(i", "i)", "{sv}", "a{s}", "a{sss}", "a{vs}", "a{ass}", "z", "a{sv",
        String(repeating: "a", count: 33) + "i", String(repeating: "i", count: 256),
        // Arrays in each other; libdbus counts the two runs of them apart.
        String(repeating: "a", count: 31) + "(" + String(repeating: "a", count: 2) + "i)",
        String(repeating: "(", count: 33) + "i" + String(repeating: ")", count: 33),
    ])
    func `are no signatures`(text: String) {
        #expect(throws: BusError.self) { try Signature(text) }
    }

    @Test(arguments: [
        ("a..b", "a.b", "C"), ("a b.c", "a.b", "C"), ("", "a.b", "C"), ("a", "a.b", "C"),
        ("a.b", "a", "C"), ("a.b", "a.1b", "C"), ("a.b", "a-b.c", "C"), ("a.b", "a.b", ""),
        ("a.b", "a.b", "a.b"), ("a.b", "a.b", "1"), ("a.b", "a.b", "Grüße"),
        (String(repeating: "a.", count: 128) + "b", "a.b", "C"),
    ])
    func `are refused in a call`(destination: String, interface: String, member: String) {
        #expect {
            try Message.methodCall(to: destination, at: "/", interface, member)
        } throws: {
            ($0 as? BusError)?.code == .invalidMessage
        }
    }

    @Test func `are refused in an error and a signal`() throws {
        let call = try Message.methodCall(to: ":1.5", at: "/", "a.b", "C")
        #expect(throws: BusError.self) { try call.reply(ErrorReply(.init(rawValue: "nodot"))) }
        #expect(throws: BusError.self) {
            try Message.signal(from: "/", "org.freedesktop.DBus.Local", "Disconnected")
        }
        #expect(throws: BusError.self) {
            try Message.signal(from: "/org/freedesktop/DBus/Local", "a.b", "C")
        }
    }

    @Test func `of paths tell what lies within what`() throws {
        let device: ObjectPath = "/org/bluez/hci1/dev_00"
        #expect(device.isWithin("/org/bluez/hci1"))
        #expect(device.isWithin("/"))
        #expect(device.isWithin(device))
        #expect(!device.isWithin("/org/bluez/hci"))
        #expect(!device.isWithin("/org/bluez/hci1/dev_00/x"))
        #expect(device.parent == "/org/bluez/hci1")
        #expect(ObjectPath("/a").parent == .root)
        #expect(ObjectPath.root.parent == nil)
        #expect(device.lastComponent == "dev_00")
        #expect(try ObjectPath.root.appending("a") == "/a")
        #expect(try device.appending("x").rawValue == "/org/bluez/hci1/dev_00/x")
        #expect(throws: BusError.self) { try device.appending("a/") }
    }
}
