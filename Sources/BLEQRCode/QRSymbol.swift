/// A QR code: a square of dark and light modules that says a text.
///
/// ```swift
/// let symbol = try QRSymbol("It is decidedly so")
/// for line in symbol.lines() { print(line) }
/// ```
///
/// A text of digits, capitals, spaces and `$%*+-./:` alone gives a smaller symbol. Any other is written as its bytes
/// in UTF-8, without a mark that says so (ECI): readers see it themselves, and some don't know the mark.
///
/// Source: ISO/IEC 18004:2015, model 2, versions 1 to 40.
package struct QRSymbol: Hashable, Sendable {
    /// How much may be damaged: what was asked for, or more, where the symbol has room.
    package let correction: Correction
    let mask: Mask
    private let grid: Grid

    /// Creates the smallest symbol of a text.
    ///
    /// - Parameters:
    ///   - text: the text; readers ignore the symbol of an empty one.
    ///   - correction: how much may be damaged at least.
    /// - Throws: ``TextTooLong``, when it doesn't fit into the largest symbol.
    package init(_ text: String, correction: Correction = .medium) throws(TextTooLong) {
        try self.init(Array(text.utf8), correction: correction)
    }

    /// Creates the smallest symbol of bytes.
    ///
    /// - Parameters:
    ///   - bytes: any bytes; readers show them as a text.
    ///   - correction: how much may be damaged at least.
    /// - Throws: ``TextTooLong``, when they don't fit into the largest symbol.
    package init(_ bytes: [UInt8], correction: Correction = .medium) throws(TextTooLong) {
        let segment = Segment(bytes)
        guard let version = Version.all.first(where: { segment.fits($0, correction) }) else {
            throw TextTooLong(
                byteCount: bytes.count,
                maximumByteCount: segment.maximumByteCount(.largest, correction),
                correction: correction
            )
        }
        let best = Correction.allCases.last { segment.fits(version, $0) } ?? correction
        self.init(segment, version, best)
    }

    /// Creates the symbol of a segment that fits.
    ///
    /// - Parameters:
    ///   - segment: the text.
    ///   - version: the size.
    ///   - correction: how much may be damaged.
    ///   - masks: the first of those that have the lowest penalty is taken.
    init(
        _ segment: Segment,
        _ version: Version,
        _ correction: Correction,
        masks: [Mask] = Mask.allCases
    ) {
        let data = segment.codewords(version, correction)
        let drawing = Drawing(version, codewords: Blocks(version, correction).codewords(of: data))
        var best = (mask: masks[0], grid: drawing.masked(with: masks[0], correction))
        var lowest = best.grid.penalty
        for mask in masks.dropFirst() {
            let grid = drawing.masked(with: mask, correction)
            let penalty = grid.penalty
            guard penalty < lowest else { continue }
            lowest = penalty
            best = (mask, grid)
        }
        self.correction = correction
        mask = best.mask
        grid = best.grid
    }

    /// How many modules a side has: 21 to 177, without the quiet zone.
    package var size: Int { grid.size }

    /// Whether a module is dark.
    ///
    /// - Parameters:
    ///   - x: its column, from 0 at the left.
    ///   - y: its row, from 0 at the top.
    package subscript(x: Int, y: Int) -> Bool { grid[x, y] }
}
