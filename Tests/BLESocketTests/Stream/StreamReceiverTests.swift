import BLETesting
import TestThreads
import Testing

@testable import BLESocket

@Suite("What receives a stream", .ownThread)
struct StreamReceiverTests {
    private static let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    /// Pieces of any size, in any order, more than once, with overlaps.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `puts pieces in order`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var receiver = StreamReceiver(windowByteCount: 1_000, maximumWindowByteCount: 1_000)
        var read: [UInt8] = []
        var patience = 100_000
        while read.count < Self.bytes.count, patience > 0 {
            patience -= 1
            let start = Int.random(in: 0..<Self.bytes.count, using: &random)
            let end = min(start + Int.random(in: 1...50, using: &random), Self.bytes.count)
            read += receiver.receive(Array(Self.bytes[start..<end]), at: UInt32(start)) ?? [0]
        }
        #expect(read == Self.bytes)
        #expect(!receiver.hasGap)
    }

    @Test func `tells of what came beyond`() {
        var receiver = StreamReceiver(windowByteCount: 1_000, maximumWindowByteCount: 1_000)
        #expect(receiver.receive([1, 2], at: 0) == [1, 2])
        #expect(receiver.receive([5], at: 4) == [])
        #expect(receiver.receive([6], at: 5) == [])
        #expect(receiver.receive([9], at: 8) == [])
        let acknowledgement = receiver.acknowledgement(pieceCount: 60)
        #expect(acknowledgement.received == 2)
        #expect(acknowledgement.limit == 1_000)
        #expect(acknowledgement.pieces.map(\.offset) == [4, 8])
        #expect(acknowledgement.pieces.map(\.byteCount) == [2, 1])
        let short = receiver.acknowledgement(pieceCount: 1)
        #expect(short.pieces.count == 1)
        #expect(receiver.receive([3, 4, 5], at: 2) == [3, 4, 5, 6])
    }

    @Test func `takes no more than its window, nor beyond the end`() {
        var receiver = StreamReceiver(windowByteCount: 10, maximumWindowByteCount: 10)
        #expect(receiver.receive([UInt8](repeating: 0, count: 11), at: 0) == nil)
        #expect(receiver.receive([0], at: 10) == nil)
        #expect(
            receiver.receive([UInt8](repeating: 9, count: 10), at: 0)
                == [UInt8](repeating: 9, count: 10)
        )
        #expect(receiver.receive([0], at: 10) == nil)
        receiver.consume(5)
        #expect(receiver.limit == 15)
        #expect(receiver.hasNewLimit)
        #expect(receiver.receive([1], at: 10) == [1])
        #expect(receiver.receiveEnd(at: 10) == false)
        #expect(receiver.receiveEnd(at: 16) == false)
        #expect(receiver.receiveEnd(at: 12) == true)
        #expect(receiver.receiveEnd(at: 13) == false)
        #expect(receiver.receive([1, 2], at: 11) == nil)
        #expect(!receiver.isComplete)
        #expect(receiver.receive([2], at: 11) == [2])
        #expect(receiver.isComplete)
        let acknowledgement = receiver.acknowledgement(pieceCount: 0)
        #expect(acknowledgement.received == 13)
    }

    /// Else what is missing could never come.
    @Test func `takes what is next also with as many gaps as there may be`() {
        var receiver = StreamReceiver(windowByteCount: 10_000, maximumWindowByteCount: 10_000)
        for offset in stride(from: 2 as UInt32, through: 2_048, by: 2) {
            #expect(receiver.receive([1], at: offset) == [])
        }
        // One gap more has no room.
        #expect(receiver.receive([1], at: 2_050) == [])
        #expect(receiver.receive([0, 0], at: 0) == [0, 0, 1])
        for offset in stride(from: 3 as UInt32, through: 2_047, by: 2) {
            #expect(receiver.receive([0], at: offset) == [0, 1])
        }
        #expect(receiver.received == 2_049)
        #expect(!receiver.hasGap)
    }

    @Test func `has a greater window when it is read as fast as it comes`() {
        var receiver = StreamReceiver(windowByteCount: 10, maximumWindowByteCount: 30)
        var offset: UInt32 = 0
        for expected in [20, 30, 30] as [UInt64] {
            let count = Int(receiver.limit) - Int(offset)
            #expect(receiver.receive([UInt8](repeating: 0, count: count), at: offset) != nil)
            _ = receiver.acknowledgement(pieceCount: 0)
            offset += UInt32(count)
            receiver.consume(count)
            #expect(receiver.limit == UInt64(offset) + expected)
        }
    }

    /// What the other end is told is on its way for so long that little of it is used.
    @Test func `has a greater window also when the other end never comes near its limit`() {
        var receiver = StreamReceiver(windowByteCount: 100, maximumWindowByteCount: 200)
        for offset in stride(from: 0, to: 100, by: 10) {
            #expect(receiver.limit == UInt64(offset) + 100)
            _ = receiver.receive([UInt8](repeating: 0, count: 10), at: UInt32(offset))
            receiver.consume(10)
            _ = receiver.acknowledgement(pieceCount: 0)
        }
        #expect(receiver.limit == 300)
    }

    @Test func `has no greater window when it is read late`() {
        var receiver = StreamReceiver(windowByteCount: 100, maximumWindowByteCount: 200)
        for offset in stride(from: 0, to: 1_000, by: 100) {
            _ = receiver.receive([UInt8](repeating: 0, count: 100), at: UInt32(offset))
            receiver.consume(40)
            receiver.consume(60)
            #expect(receiver.limit == UInt64(offset) + 200)
        }
    }
}
