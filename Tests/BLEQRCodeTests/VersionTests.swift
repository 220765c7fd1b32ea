import Testing

@testable import BLEQRCode

@Suite("A version")
struct VersionTests {
    /// ISO/IEC 18004:2015, table E.1.
    @Test(arguments: [
        (1, []), (2, [6, 18]), (6, [6, 34]), (7, [6, 22, 38]), (14, [6, 26, 46, 66]),
        (15, [6, 26, 48, 70]), (22, [6, 26, 50, 74, 98]), (32, [6, 34, 60, 86, 112, 138]),
        (36, [6, 24, 50, 76, 102, 128, 154]), (39, [6, 26, 54, 82, 110, 138, 166]),
        (40, [6, 30, 58, 86, 114, 142, 170]),
    ])
    func `has alignment patterns at the standard's places`(number: Int, centers: [Int]) {
        #expect(Version(number).alignmentCenters == centers)
    }

    /// ISO/IEC 18004:2015, table 1.
    @Test(arguments: [
        (1, 26), (2, 44), (6, 172), (7, 196), (14, 581), (21, 1156), (28, 1921), (40, 3706),
    ])
    func `has the standard's number of codewords`(number: Int, count: Int) {
        #expect(Version(number).codewordCount == count)
    }

    /// ISO/IEC 18004:2015, table 7.
    @Test(arguments: [
        (1, Correction.low, 25, 17), (1, .medium, 20, 14), (1, .quartile, 16, 11),
        (1, .high, 10, 7),
        (9, .low, 335, 230), (10, .low, 395, 271), (26, .quartile, 1094, 751),
        (27, .quartile, 1172, 805), (40, .low, 4296, 2953), (40, .medium, 3391, 2331),
        (40, .quartile, 2420, 1663), (40, .high, 1852, 1273),
    ])
    func `has room for the standard's number of bytes`(
        number: Int,
        correction: Correction,
        capitals: Int,
        others: Int
    ) {
        let version = Version(number)
        for (text, count) in [("A", capitals), ("a", others)] {
            #expect(Segment(Array(text.utf8)).maximumByteCount(version, correction) == count)
            let full = Segment(Array(String(repeating: text, count: count).utf8))
            #expect(full.fits(version, correction))
            let tooLong = Segment(Array(String(repeating: text, count: count + 1).utf8))
            #expect(!tooLong.fits(version, correction))
        }
    }
}
