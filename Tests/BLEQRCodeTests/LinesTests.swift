import Testing

@testable import BLEQRCode

@Suite("Lines")
struct LinesTests {
    @Test(arguments: [0, 1, 2, 4], [false, true])
    func `show each module, and light ones around them`(quietZone: Int, isInverted: Bool) throws {
        let symbol = try QRSymbol("Ask again later")
        let lines = symbol.lines(quietZone: quietZone, isInverted: isInverted)
        let side = symbol.size + 2 * quietZone
        #expect(lines.count == (side + 1) / 2)
        #expect(lines.allSatisfy { $0.count == side })
        for (row, line) in lines.enumerated() {
            for (column, character) in line.enumerated() {
                let drawn: [Character: [Bool]] = [
                    "█": [true, true], "▀": [true, false], "▄": [false, true],
                ]
                for (half, isDrawn) in (drawn[character] ?? [false, false]).enumerated() {
                    let (x, y) = (column - quietZone, 2 * row + half - quietZone)
                    let isInside = 0..<symbol.size ~= x && 0..<symbol.size ~= y
                    #expect((isDrawn != isInverted) == (isInside && symbol[x, y]))
                }
            }
        }
    }

    /// zxing-cpp read these, drawn as light on dark: HELLO WORLD.
    @Test func `of a text are these`() throws {
        let lines = try QRSymbol("HELLO WORLD", correction: .quartile)
            .lines(quietZone: 1, isInverted: true)
        #expect(lines == Self.expected)
    }

    @Test func `have a quiet zone of four`() throws {
        let symbol = try QRSymbol("Yes")
        #expect(symbol.lines() == symbol.lines(quietZone: 4, isInverted: false))
    }

    private static let expected = [
        "█▀▀▀▀▀▀▀█▀▀████▀▀▀▀▀▀▀█",
        "█ █▀▀▀█ █ ██ ▀█ █▀▀▀█ █",
        "█ █   █ █ █▀███ █   █ █",
        "█ ▀▀▀▀▀ █▀█ █▀█ ▀▀▀▀▀ █",
        "██▀▀█▀█▀▀▄███▀█▀█▀▀▀▀▀█",
        "██▄▀▀█▀▀▀▄  ▄██▀█ ▀██▄█",
        "█▀▄▄█ ▄▀▄▀█  ▀▄▀ ▀▄ ▄▀█",
        "█▀▀▀▀▀▀▀█ ▄▀▄██▄▀█▀ █▄█",
        "█ █▀▀▀█ █▀▄▀▄▄█  ▀ ▀▀▀█",
        "█ █   █ █▀▄█ █ ▀ █▀█▄▀█",
        "█ ▀▀▀▀▀ █▄█▄ ▄ ▀▀█▄█▄ █",
        "███████████████████████",
    ]
}
