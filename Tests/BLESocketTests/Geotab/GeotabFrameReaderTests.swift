import BLETesting
import Testing

@testable import BLESocket

@Suite("A reader of Geotab frames")
struct GeotabFrameReaderTests {
    private static let short = GeotabFrame(.result, checked: [1, 0, 0, 0])
    private static let long = GeotabFrame(.extendedData, checked: (0..<300).map { UInt8($0 % 256) })

    @Test(arguments: [1, 2, 3, 7, 20, 182, 1_000])
    func `reads frames in pieces of any size`(byteCount: Int) {
        var reader = GeotabFrameReader()
        let bytes = [0x55] + Self.short.bytes + Self.long.bytes + Self.short.bytes + [0x55]
        var events: [GeotabFrameReader.Event] = []
        for start in stride(from: 0, to: bytes.count, by: byteCount) {
            events += reader.read(bytes[start..<min(start + byteCount, bytes.count)], at: .zero)
        }
        #expect(
            events == [.sync, .frame(Self.short), .frame(Self.long), .frame(Self.short), .sync]
        )
        #expect(reader.deadline == nil)
    }

    @Test func `finds the frame behind garbage`() {
        var reader = GeotabFrameReader()
        let events = reader.read([0, 3, 0xFF] + Self.short.bytes + [9], at: .zero)
        #expect(
            events == [
                .malformed(.garbage(0), byteCount: 3), .frame(Self.short),
                .malformed(.garbage(9), byteCount: 1),
            ]
        )
    }

    @Test func `finds the frame behind one with a wrong checksum`() throws {
        var wrong = Self.short.bytes
        wrong[3] = 0
        var reader = GeotabFrameReader()
        let events = reader.read(wrong + Self.short.bytes, at: .zero)
        guard case .malformed(.checksum, wrong.count) = events.first else {
            Issue.record("\(events)")
            return
        }
        #expect(events.dropFirst() == [.frame(Self.short)])
    }

    @Test func `finds the frame behind one that does not end`() {
        var wrong = Self.short.bytes
        wrong[wrong.count - 1] = 4
        var reader = GeotabFrameReader()
        let events = reader.read(wrong + Self.short.bytes, at: .zero)
        #expect(
            events == [.malformed(.noEnd(4), byteCount: wrong.count), .frame(Self.short)]
        )
    }

    @Test func `finds the frame that a wrong length had swallowed`() {
        // The first byte seems to begin a frame of 255 bytes.
        var reader = GeotabFrameReader()
        #expect(reader.read([2, 0x21, 0xFF] + Self.short.bytes, at: .seconds(1)).isEmpty)
        #expect(reader.deadline == .seconds(6))
        #expect(reader.passTime(.seconds(5)).isEmpty)
        #expect(
            reader.passTime(.seconds(6)) == [
                .malformed(.incomplete, byteCount: 3), .frame(Self.short),
            ]
        )
        #expect(reader.deadline == nil)
    }

    @Test func `takes no body that is longer than it was told`() {
        var reader = GeotabFrameReader(maximumBodyByteCount: 299)
        let events = reader.read(Self.long.bytes + Self.short.bytes, at: .zero)
        guard case .malformed(.tooLong(300), _) = events.first else {
            Issue.record("\(events)")
            return
        }
        #expect(events.last == .frame(Self.short))
    }

    @Test func `reads 65,535 bytes where they are taken`() {
        let frame = GeotabFrame(.extendedData, checked: Array(repeating: 2, count: 65_535))
        var reader = GeotabFrameReader(maximumBodyByteCount: 65_535)
        #expect(reader.read(frame.bytes, at: .zero) == [.frame(frame)])
    }

    @Test func `gives a frame 2.5 ms more for each byte, and its whole time again to the next`() {
        var reader = GeotabFrameReader()
        _ = reader.read(Self.long.bytes.prefix(3), at: .zero)
        #expect(reader.deadline == .seconds(5))
        // 307 bytes.
        _ = reader.read(Self.long.bytes[3..<5], at: .seconds(2))
        #expect(reader.deadline == .microseconds(5_767_500))
        _ = reader.read(Self.long.bytes[5...] + Self.short.bytes.prefix(2), at: .seconds(3))
        #expect(reader.deadline == .seconds(8))
    }

    @Test func `finds no frame in what came of one that broke off`() {
        // Its body has 03 and 02 and what seems to be a length.
        let frame = GeotabFrame(.extendedData, checked: [2, 3, 200, 2, 3])
        var reader = GeotabFrameReader()
        #expect(reader.read(frame.bytes.dropLast(), at: .zero).isEmpty)
        #expect(
            reader.passTime(.seconds(5)) == [
                .malformed(.incomplete, byteCount: frame.bytes.count - 1)
            ]
        )
        #expect(reader.deadline == nil)
        #expect(reader.read(frame.bytes, at: .seconds(5)) == [.frame(frame)])
    }

    /// Whatever comes, it holds no more than one frame, and reads the frames that come when all is given up.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `reads on after any bytes`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var reader = GeotabFrameReader(maximumBodyByteCount: 300)
        var now = Duration.zero
        let likely: [UInt8] = [0x02, 0x02, 0x03, 0x55, 0x24, 0x88, 0x21, 0x00, 0x01]
        for _ in 0..<200 {
            let bytes = (0..<Int.random(in: 0...30, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? likely.randomElement(using: &random) ?? 0
                    : UInt8.random(in: 0...255, using: &random)
            }
            _ = reader.read(bytes, at: now)
            now += .milliseconds(Int.random(in: 0...2_000, using: &random))
            _ = reader.passTime(now)
        }
        var patience = 1_000
        while let deadline = reader.deadline, patience > 0 {
            now = max(now, deadline)
            _ = reader.passTime(now)
            patience -= 1
        }
        #expect(reader.deadline == nil)
        #expect(reader.read(Self.long.bytes, at: now) == [.frame(Self.long)])
    }
}
