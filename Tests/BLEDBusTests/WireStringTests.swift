import Testing

@testable import BLEDBus

@Suite("A string inside a message")
struct WireStringTests {
    @Test(arguments: ["", "Value", "Values", "Valu", "value", "Value\0"])
    func `equals a text of the same bytes alone`(text: String) {
        let equal = Array(text.utf8).withUnsafeBufferPointer { utf8 in
            let string = WireString(utf8: utf8)
            return [string.equals("Value" as String), string.equals("Value" as StaticString)]
        }
        #expect(equal == [text == "Value", text == "Value"])
    }

    @Test func `without bytes equals the empty text alone`() {
        let string = WireString(utf8: UnsafeBufferPointer(start: nil, count: 0))
        let equal = [string.equals("" as String), string.equals("a" as String)]
        #expect(equal == [true, false])
    }
}
