import BLETesting
import Testing

@testable import BlueChat

/// Source: Docs/Wire.md, BlueChat between ours.
@Suite("Bytes between ours")
struct RecordTests {
    private static let id: MessageID = {
        var random = SeededGenerator(seed: 1)
        return MessageID(using: &random)
    }()

    private static let records: [(Record, [UInt8])] = [
        (
            .begin(id, byteCount: 300, [7, 8]),
            [1] + id.bytes + [0x2C, 0x01, 0, 0, 7, 8]
        ),
        (.more([9]), [2, 9]),
        (.delivered(id), [3] + id.bytes),
        (.refused(id), [4] + id.bytes),
        (.read(id), [5] + id.bytes),
        (.typing(true), [6, 1]),
        (.name("Bo"), [7, 0x42, 0x6F]),
        (.leave, [8]),
    ]

    @Test(arguments: records)
    func `of a record`(record: Record, bytes: [UInt8]) throws {
        #expect(record.encoded == bytes)
        #expect(try Record(bytes) == record)
    }

    @Test(
        arguments: [
            [], [1], [1] + id.bytes, [3], [3, 1, 2], [4] + id.bytes + [0], [5], [6], [6, 1, 1],
            [7, 0xFF], [2] + [UInt8](repeating: 0, count: Record.maximumByteCount),
        ] as [[UInt8]]
    )
    func `that are no record`(bytes: [UInt8]) {
        #expect(throws: ProtocolViolation.self) { try Record(bytes) }
    }

    @Test func `of a later version are passed over`() throws {
        #expect(try Record([200, 1, 2]) == .unknown(200))
        var conversation = Conversation()
        #expect(try conversation.receiveOnce(.unknown(200)).isEmpty)
    }

    private static let messages: [(ChatMessage.Content, [UInt8])] = [
        (.text("Hi"), [1, 1, 2, 0, 0, 0, 0, 0, 0, 0x48, 0x69]),
        (.edit(id, text: "Ho"), [3, 1, 2, 0, 0, 0, 0, 0, 0] + id.bytes + [0x48, 0x6F]),
        (.deletion(id), [4, 1, 2, 0, 0, 0, 0, 0, 0] + id.bytes),
    ]

    @Test(arguments: messages)
    func `of a message`(content: ChatMessage.Content, bytes: [UInt8]) throws {
        let message = try ChatMessage(content, time: 0x201, id: Self.id)
        #expect(message.encoded == bytes)
        #expect(try ChatMessage(id: Self.id, bytes) == message)
    }

    @Test func `of a file`() throws {
        let file = try ChatFile(name: "a", bytes: [5, 6])
        let message = try ChatMessage(.file(file), time: -1, id: Self.id)
        let bytes: [UInt8] = [2] + [UInt8](repeating: 255, count: 8) + [1, 0x61, 5, 6]
        #expect(message.encoded == bytes)
        #expect(try ChatMessage(id: Self.id, bytes) == message)
    }

    @Test(
        arguments: [
            [], [1], [1, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            [2, 0, 0, 0, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0x61],
            [2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x2F], [3, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            [4, 0, 0, 0, 0, 0, 0, 0, 0] + id.bytes + [1],
        ] as [[UInt8]]
    )
    func `that are no message`(bytes: [UInt8]) {
        #expect(throws: ChatError.self) { try ChatMessage(id: Self.id, bytes) }
    }

    @Test func `of values of a session`() throws {
        var first = SessionValue(session: 0x0201, number: 0)
        first.packet = Packet(isLast: true, bytes: [9])
        first.isFirst = true
        #expect(first.encoded == [1, 2, 0, 7, 9])
        var more = SessionValue(session: 1, number: 255, packet: Packet(isLast: false, bytes: []))
        more.hasMore = true
        #expect(more.encoded == [1, 0, 255, 9])
        for value in [first, more] { #expect(SessionValue(value.encoded) == value) }
        for bytes in [[], [1, 2, 3], [1, 2, 3, 0, 9]] as [[UInt8]] {
            #expect(SessionValue(bytes) == nil)
        }
    }
}
