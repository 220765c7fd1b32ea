import Testing

@testable import BLEDBus

/// libdbus checks each message that it takes, and tells where each value begins.
@Suite("The place of a value")
struct AlignmentTests {
    private static let structure = Value.structure([.byte(1), .uint64(7)])

    @Test(
        arguments: [
            .array(of: "(yt)", []), .array(of: "(yt)", [structure]),
            .array(of: "(yt)", [structure, structure]), .array(of: "(y)", []),
            .array(of: "ay", [.bytes([1, 2, 3]), .bytes([4])]), .array(of: "d", []),
            .array(of: "d", [.double(1)]), .array(of: "n", [.int16(1), .int16(2)]),
            .array(of: "v", [.variant(.uint64(1)), .variant(structure)]), .structure([structure]),
        ] as [Value]
    )
    func `in a message is where libdbus looks for it`(value: Value) throws {
        // From all eight places that a value may begin behind.
        for count in 0..<8 {
            let body = [Value](repeating: .byte(9), count: count) + [value, .byte(5)]
            let message = try Message.signal(from: "/", "a.b", "C", body)
            let raw = try RawMessage(message, serial: 1)
            var strings = StringCache()
            #expect(try raw.value(&strings)?.body() == body)
        }
    }
}
