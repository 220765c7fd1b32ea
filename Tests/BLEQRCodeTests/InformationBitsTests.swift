import Testing

@testable import BLEQRCode

@Suite("Format and version information")
struct InformationBitsTests {
    /// ISO/IEC 18004:2015, table C.1: the corrections medium, low, high and quartile, eight masks each.
    private static let formats = [
        0x5412, 0x5125, 0x5E7C, 0x5B4B, 0x45F9, 0x40CE, 0x4F97, 0x4AA0,
        0x77C4, 0x72F3, 0x7DAA, 0x789D, 0x662F, 0x6318, 0x6C41, 0x6976,
        0x1689, 0x13BE, 0x1CE7, 0x19D0, 0x0762, 0x0255, 0x0D0C, 0x083B,
        0x355F, 0x3068, 0x3F31, 0x3A06, 0x24B4, 0x2183, 0x2EDA, 0x2BED,
    ]

    /// ISO/IEC 18004:2015, table D.1, from version 7 on.
    private static let versions = [
        0x07C94, 0x085BC, 0x09A99, 0x0A4D3, 0x0BBF6, 0x0C762, 0x0D847, 0x0E60D, 0x0F928, 0x10B78,
        0x1145D, 0x12A17, 0x13532, 0x149A6, 0x15683, 0x168C9, 0x177EC, 0x18EC4, 0x191E1, 0x1AFAB,
        0x1B08E, 0x1CC1A, 0x1D33F, 0x1ED75, 0x1F250, 0x209D5, 0x216F0, 0x228BA, 0x2379F, 0x24B0B,
        0x2542E, 0x26A64, 0x27541, 0x28C69,
    ]

    @Test func `of all formats is the standard's`() {
        let corrections: [Correction] = [.medium, .low, .high, .quartile]
        let all = corrections.flatMap { correction in
            Mask.allCases.map { InformationBits.format(correction, $0) }
        }
        #expect(all == Self.formats)
    }

    @Test func `of all versions is the standard's`() {
        let versions = Version.all.filter(\.hasVersionInformation)
        #expect(versions.map { InformationBits.version($0) } == Self.versions)
    }
}
