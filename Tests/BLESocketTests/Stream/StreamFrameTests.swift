import BLETesting
import Testing

@testable import BLESocket

@Suite("A frame of a stream")
struct StreamFrameTests {
    private static let vectors: [(StreamFrame, [UInt8])] = [
        (
            .hello(
                .init(session: 0x0102_0304_0506_0708, received: 9, limit: 0x4000, isKnown: true)
            ),
            [1, 0x11, 8, 7, 6, 5, 4, 3, 2, 1, 9, 0, 0, 0, 0, 0x40, 0, 0]
        ),
        (
            .hello(.init(session: 1, received: 0, limit: 0, isKnown: false)),
            [1, 0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        ),
        (.data(offset: 0xFFFF_FFFE, [7]), [2, 0xFE, 0xFF, 0xFF, 0xFF, 7]),
        (
            .acknowledgement(.init(received: 1, limit: 2)),
            [3, 1, 0, 0, 0, 2, 0, 0, 0]
        ),
        (
            .acknowledgement(
                .init(
                    received: 1,
                    limit: 2,
                    pieces: [.init(offset: 3, byteCount: 4)],
                    wantsReply: true
                )
            ),
            [4, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0]
        ),
        (.end(offset: 5), [5, 5, 0, 0, 0]),
        (.reset(.unknownSession), [6, 1]),
    ]

    @Test func `has these bytes`() {
        for (frame, bytes) in Self.vectors {
            #expect(frame.bytes == bytes)
            #expect(StreamFrame(bytes) == frame)
        }
    }

    @Test func `may have a label after its first byte`() throws {
        let label = StreamLabel(session: 0x0102_0304_0506_0708)
        #expect(label.added(to: [6, 1]) == [0x86, 8, 7, 1])
        let (read, frame) = try #require(StreamLabel.remove(from: [0x86, 8, 7, 1]))
        #expect(read == label && frame == [6, 1])
        for (other, bytes) in Self.vectors {
            #expect(StreamLabel.remove(from: bytes) == nil)
            if case .hello = other { continue }
            #expect(StreamLabel.remove(from: label.added(to: bytes))?.1 == bytes)
        }
        #expect(StreamLabel.remove(from: [0x86, 8]) == nil)
        let hello = StreamFrame.hello(
            .init(session: 1, received: 0, limit: 0, isKnown: false, isShared: true)
        )
        #expect(hello.bytes[1] == 0x14)
        #expect(StreamFrame(hello.bytes) == hello)
    }

    @Test func `fits the shortest MTU, but for data and pieces`() {
        for (frame, _) in Self.vectors { #expect(frame.bytes.count <= 18) }
        #expect(StreamFrame.pieceCount(in: 18) == 1)
        #expect(StreamFrame.pieceCount(in: 8) == 0)
        #expect(StreamFrame.pieceCount(in: 5_000) == 60)
    }

    @Test(
        arguments: [
            [], [0], [7], [1], [1, 0x20] + [UInt8](repeating: 0, count: 16), [2, 0, 0, 0, 0],
            [2, 0, 0],
            [3, 0, 0, 0, 0, 0, 0, 0], [3] + [UInt8](repeating: 0, count: 12),
            [3] + [UInt8](repeating: 0, count: 8 + 61 * 8), [5, 0, 0, 0], [5, 0, 0, 0, 0, 0], [6],
        ] as [[UInt8]]
    )
    func `is none with other bytes`(bytes: [UInt8]) {
        #expect(StreamFrame(bytes) == nil)
    }

    @Test func `has offsets that go on behind 2³²`() {
        #expect(UInt32(5).offset(near: 0x1_0000_0000) == 0x1_0000_0005)
        #expect(UInt32(0xFFFF_FFFF).offset(near: 0x1_0000_0000) == 0xFFFF_FFFF)
        #expect(UInt32(0xFFFF_FFFF).offset(near: 0) == nil)
        #expect(UInt32(3).offset(near: 5) == 3)
    }
}
