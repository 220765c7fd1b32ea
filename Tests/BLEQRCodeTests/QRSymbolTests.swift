import TestThreads
import Testing

@testable import BLEQRCode

@Suite("A symbol", .ownThread)
struct QRSymbolTests {
    @Test(arguments: [(17, 21), (18, 25), (32, 25), (33, 29), (2_953, 177)])
    func `is the smallest that takes the text`(count: Int, size: Int) throws {
        let text = String(repeating: "a", count: count)
        #expect(try QRSymbol(text, correction: .low).size == size)
    }

    @Test func `is smaller for capitals and digits`() throws {
        let key = String(repeating: "0123456789abcdef", count: 4)
        #expect(try QRSymbol(key.uppercased()).size < QRSymbol(key).size)
    }

    @Test(arguments: [
        (7, Correction.high), (8, .quartile), (11, .quartile), (12, .medium), (14, .medium),
        (15, .low), (17, .low),
    ])
    func `has the best correction that its size has room for`(
        count: Int,
        correction: Correction
    ) throws {
        let symbol = try QRSymbol(String(repeating: "a", count: count), correction: .low)
        #expect(symbol.size == 21)
        #expect(symbol.correction == correction)
    }

    @Test func `never has less correction than was asked for`() throws {
        for asked in Correction.allCases {
            let symbol = try QRSymbol("Signs point to yes", correction: asked)
            #expect(symbol.correction.rawValue >= asked.rawValue)
        }
    }

    @Test func `of a text is the symbol of its bytes`() throws {
        #expect(try QRSymbol("漢字 🎱") == QRSymbol(Array("漢字 🎱".utf8)))
    }

    @Test func `of nothing is a symbol`() throws {
        #expect(try QRSymbol("").size == 21)
    }

    @Test(arguments: [
        (Correction.low, 2_953, 4_296), (.medium, 2_331, 3_391), (.quartile, 1_663, 2_420),
        (.high, 1_273, 1_852),
    ])
    func `is none when the text is too long, and the error says how long it may be`(
        correction: Correction,
        bytes: Int,
        capitals: Int
    ) {
        for (text, maximum) in [("a", bytes), ("A", capitals)] {
            let expected = TextTooLong(
                byteCount: maximum + 1,
                maximumByteCount: maximum,
                correction: correction
            )
            #expect(throws: expected) {
                try QRSymbol(String(repeating: text, count: maximum + 1), correction: correction)
            }
        }
    }

    @Test func `counts bytes, not characters`() {
        let expected = TextTooLong(byteCount: 3_999, maximumByteCount: 2_331, correction: .medium)
        #expect(throws: expected) { try QRSymbol(String(repeating: "漢", count: 1_333)) }
        #expect(
            expected.description
                == "a QR code of a text of 3999 bytes failed: at most 2331 fit with medium error correction"
        )
    }
}
