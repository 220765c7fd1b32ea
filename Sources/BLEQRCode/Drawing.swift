/// Draws a symbol: first what is the same in each of its version, then the data, then a mask.
struct Drawing: Sendable {
    private let version: Version
    private var grid: Grid
    /// Where no data is.
    private var reserved: Grid

    private var size: Int { version.size }

    /// - Parameters:
    ///   - version: the version.
    ///   - codewords: as many as it has, in the order of the symbol.
    init(_ version: Version, codewords: [UInt8]) {
        self.version = version
        grid = Grid(size: version.size)
        reserved = Grid(size: version.size)
        drawTiming()
        drawFinders()
        drawAlignment()
        draw(format: 0)
        if version.hasVersionInformation { drawVersion() }
        draw(codewords)
    }

    /// The symbol with a mask.
    func masked(with mask: Mask, _ correction: Correction) -> Grid {
        var result = self
        for y in 0..<size {
            for x in 0..<size where !reserved[x, y] && mask.inverts(x, y) {
                result.grid[x, y].toggle()
            }
        }
        result.draw(format: InformationBits.format(correction, mask))
        return result.grid
    }

    // MARK: What is the same in each

    private mutating func draw(_ isDark: Bool, _ x: Int, _ y: Int) {
        grid[x, y] = isDark
        reserved[x, y] = true
    }

    private mutating func drawTiming() {
        for index in 0..<size {
            draw(index % 2 == 0, index, 6)
            draw(index % 2 == 0, 6, index)
        }
    }

    /// With the light modules around them.
    private mutating func drawFinders() {
        for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] {
            drawSquares(x, y, radius: 4) { $0 != 2 && $0 != 4 }
        }
    }

    private mutating func drawAlignment() {
        let centers = version.alignmentCenters
        for y in centers {
            for x in centers {
                // Finder patterns are in three corners.
                let isNearFinder =
                    (x == 6 && (y == 6 || y == size - 7)) || (x == size - 7 && y == 6)
                if !isNearFinder { drawSquares(x, y, radius: 2) { $0 != 1 } }
            }
        }
    }

    /// Squares in each other; what is outside of the symbol is left out.
    private mutating func drawSquares(
        _ centerX: Int,
        _ centerY: Int,
        radius: Int,
        isDark: (Int) -> Bool
    ) {
        for y in -radius...radius {
            for x in -radius...radius where grid.contains(centerX + x, centerY + y) {
                draw(isDark(max(abs(x), abs(y))), centerX + x, centerY + y)
            }
        }
    }

    // MARK: Information

    /// Twice: around the finder pattern at the top left, and divided between the two others.
    ///
    /// Source: ISO/IEC 18004:2015, figure 25.
    private mutating func draw(format bits: Int) {
        for bit in 0..<15 {
            let isDark = bits >> bit & 1 != 0
            // The timing patterns are jumped over.
            switch bit {
            case ..<6: draw(isDark, 8, bit)
            case ..<8: draw(isDark, 8, bit + 1)
            case 8: draw(isDark, 7, 8)
            default: draw(isDark, 14 - bit, 8)
            }
            if bit < 8 { draw(isDark, size - 1 - bit, 8) } else { draw(isDark, 8, size - 15 + bit) }
        }
        draw(true, 8, size - 8)
    }

    /// Twice: above the finder pattern at the bottom left, and beside that at the top right.
    ///
    /// Source: ISO/IEC 18004:2015, figure 28.
    private mutating func drawVersion() {
        let bits = InformationBits.version(version)
        for bit in 0..<18 {
            let (place, distance) = (bit / 3, size - 11 + bit % 3)
            draw(bits >> bit & 1 != 0, place, distance)
            draw(bits >> bit & 1 != 0, distance, place)
        }
    }

    // MARK: Data

    /// Two columns at a time, from the right, upwards and downwards in turn.
    ///
    /// Source: ISO/IEC 18004:2015, 7.7.3.
    private mutating func draw(_ codewords: [UInt8]) {
        var bits = codewords.lazy.flatMap { byte in (0..<8).map { byte << $0 & 0x80 != 0 } }
            .makeIterator()
        var isUpward = true
        for pair in stride(from: size - 1, to: 0, by: -2) {
            // The column of the timing pattern has no data, and no part in a pair.
            let right = pair > 6 ? pair : pair - 1
            for step in 0..<size {
                let y = isUpward ? size - 1 - step : step
                for x in [right, right - 1] where !reserved[x, y] {
                    grid[x, y] = bits.next() ?? false
                }
            }
            isUpward.toggle()
        }
    }
}
