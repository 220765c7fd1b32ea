import Testing

@testable import BLEQRCode

@Suite("Codewords")
struct CodewordTests {
    /// A known example: "HELLO WORLD" in version 1 with quartile correction.
    @Test func `of capitals and of their correction are right`() {
        let data = Segment(Array("HELLO WORLD".utf8)).codewords(Version(1), .quartile)
        #expect(data == [32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236])
        let correction: [UInt8] = [168, 72, 22, 82, 217, 54, 156, 0, 46, 15, 180, 122, 16]
        #expect(Blocks(Version(1), .quartile).codewords(of: data) == data + correction)
    }

    /// ISO/IEC 18004:2015, annex I: "01234567", whose data in the numeric mode is given here.
    @Test func `of the standard's example have its correction`() {
        let data: [UInt8] = [
            0x10, 0x20, 0x0C, 0x56, 0x61, 0x80, 0xEC, 0x11,
            0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11,
        ]
        let correction: [UInt8] = [0xA5, 0x24, 0xD4, 0xC1, 0xED, 0x36, 0xC7, 0x87, 0x2C, 0x55]
        #expect(ReedSolomonCode(correctionCount: 10).correction(of: data) == correction)
    }

    /// ISO/IEC 18004:2015, 7.4.4: 0010 000000101 00111001110 11100111001 000010.
    @Test func `of an odd number of capitals end with six bits`() {
        let data = Segment(Array("AC-42".utf8)).codewords(Version(1), .high)
        #expect(data == [0x20, 0x29, 0xCE, 0xE7, 0x21, 0x00, 0xEC, 0x11, 0xEC])
    }

    @Test func `of bytes are between length and terminator`() {
        let data = Segment([0xFF, 0x00, 0x61]).codewords(Version(1), .high)
        #expect(data == [0x40, 0x3F, 0xF0, 0x06, 0x10, 0xEC, 0x11, 0xEC, 0x11])
        let long = Segment([0xFF, 0x00, 0x61]).codewords(Version(10), .high)
        #expect(long.prefix(7) == [0x40, 0x00, 0x3F, 0xF0, 0x06, 0x10, 0xEC])
    }

    @Test func `of an empty text are padding`() {
        let data = Segment([]).codewords(Version(1), .high)
        #expect(data == [0x20, 0x00, 0x00, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11])
    }

    /// Of 152 bits, 4 + 9 + 138 leave one for the terminator, which has four elsewhere.
    @Test func `end with a shorter terminator where there is no room`() {
        let data = Segment(Array(repeating: UInt8(ascii: ":"), count: 25))
            .codewords(Version(1), .low)
        #expect(data.count == 19)
        #expect(data.last == 0b0_101100_0)
    }

    @Test func `are interleaved, those of long blocks last`() {
        // Version 5 with quartile correction: 15, 15, 16 and 16 codewords of data, 18 of correction each.
        let data = (0..<62).map { UInt8($0) }
        let codewords = Blocks(Version(5), .quartile).codewords(of: data)
        #expect(codewords.count == 134)
        #expect(codewords.prefix(8) == [0, 15, 30, 46, 1, 16, 31, 47])
        #expect(codewords[56..<62] == [14, 29, 44, 60, 45, 61])
        let last = ReedSolomonCode(correctionCount: 18).correction(of: data[46...])
        #expect(stride(from: 65, to: 134, by: 4).map { codewords[$0] } == last)
    }
}
