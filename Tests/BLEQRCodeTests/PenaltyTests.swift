import Testing

@testable import BLEQRCode

@Suite("A penalty")
struct PenaltyTests {
    @Test func `is none for what alternates`() {
        #expect(grid { x, y in (x + y) % 2 == 0 }.penalty == 0)
    }

    /// Runs of 21 in all rows and columns, 400 squares, and 50 % too much or too little.
    @Test(arguments: [false, true])
    func `is for runs, squares and too many of a kind`(isDark: Bool) {
        #expect(grid { _, _ in isDark }.penalty == 42 * (3 + 16) + 400 * 3 + 100)
    }

    @Test func `is for columns as for rows`() {
        #expect(grid { x, _ in x % 2 == 0 }.penalty == 21 * (3 + 16))
        #expect(grid { _, y in y % 2 == 0 }.penalty == 21 * (3 + 16))
    }

    @Test(arguments: [
        ("1111", 0), ("11111", 3), ("000000", 4), ("0111110", 3), ("1111100000", 6),
        ("11110000", 0),
    ])
    func `is for runs of five and more`(row: String, penalty: Int) {
        #expect(Grid.runs(in: modules(row)) == penalty)
    }

    @Test(arguments: [
        // Four light modules after it, before it, at both sides, at neither, and too few of them.
        ("10101011101000010101", 40), ("10000101110101010", 40), ("10000101110100001", 40),
        ("1010101110101011", 0), ("11000101110100011", 0),
        // At an edge, with what is outside of the symbol, and near one with a dark module between.
        ("10111010101", 40), ("10101011101", 40), ("1010101110100", 40), ("10001011101010", 0),
        // Two that share modules.
        ("10000101110111010000", 80),
    ])
    func `is for what looks like a finder pattern`(row: String, penalty: Int) {
        #expect(Grid.finders(in: modules(row)) == penalty)
    }

    /// Of 441 modules; 45 % and 55 % are 198.45 and 242.55.
    @Test(arguments: [(199, 0), (242, 0), (198, 10), (243, 10), (176, 20), (265, 20), (0, 100)])
    func `is for each 5 % of imbalance`(darkCount: Int, penalty: Int) {
        let grid = grid { x, y in y * 21 + x < darkCount }
        #expect(grid.imbalance == penalty)
    }

    private func modules(_ row: String) -> [Bool] { row.map { $0 == "1" } }

    private func grid(_ isDark: (Int, Int) -> Bool) -> Grid {
        var grid = Grid(size: 21)
        for y in 0..<21 {
            for x in 0..<21 { grid[x, y] = isDark(x, y) }
        }
        return grid
    }
}
