import TestThreads
import Testing

@testable import BLEQRCode

@Suite("Beside qrcode and segno", .ownThread)
struct SymbolsTests {
    @Test(arguments: try Symbols.all().symbols)
    func `the modules and the mask are the same`(expected: Symbols.Symbol) throws {
        let correction = try #require(Correction(rawValue: expected.correction))
        let segment = Segment(Array(expected.text.utf8))
        let symbol = QRSymbol(segment, Version(expected.version), correction)
        #expect(symbol.mask.rawValue == expected.mask)
        #expect(symbol.rows == expected.rows)
    }

    @Test(arguments: try Symbols.all().checksums)
    func `full symbols of all sizes are the same`(expected: Symbols.Checksum) throws {
        let correction = try #require(Correction(rawValue: expected.correction))
        let mask = try #require(Mask(rawValue: expected.mask))
        let symbol = QRSymbol(
            Segment(expected.text),
            Version(expected.version),
            correction,
            masks: [mask]
        )
        #expect(symbol.size == 17 + 4 * expected.version)
        #expect(symbol.checksum == UInt64(expected.checksum, radix: 16))
    }
}

extension QRSymbol {
    fileprivate var rows: [String] {
        (0..<size).map { y in
            // The lowest bit of the last digit is the right module.
            let bits =
                Array(repeating: false, count: (4 - size % 4) % 4)
                + (0..<size).map { x in self[x, y] }
            return stride(from: 0, to: bits.count, by: 4).map { start in
                String(bits[start..<start + 4].reduce(0) { $0 * 2 + ($1 ? 1 : 0) }, radix: 16)
            }
            .joined()
        }
    }

    fileprivate var checksum: UInt64 {
        var value: UInt64 = 0xCBF2_9CE4_8422_2325
        for y in 0..<size {
            for x in 0..<size { value = (value ^ (self[x, y] ? 1 : 0)) &* 0x100_0000_01B3 }
        }
        return value
    }
}
