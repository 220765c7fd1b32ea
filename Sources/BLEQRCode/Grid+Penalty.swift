extension Grid {
    /// How much would mislead a reader: the mask with the lowest penalty is taken.
    ///
    /// Source: ISO/IEC 18004:2015, 7.8.3.1.
    var penalty: Int {
        let sides = 0..<size
        let lines = sides.map { y in sides.map { x in self[x, y] } }
        let columns = sides.map { x in sides.map { y in self[x, y] } }
        return (lines + columns).reduce(0) { $0 + Self.runs(in: $1) + Self.finders(in: $1) }
            + squares + imbalance
    }

    /// Five modules of a kind in a row, and more.
    static func runs(in line: [Bool]) -> Int {
        var penalty = 0
        var length = 0
        for index in line.indices {
            length = index > 0 && line[index] == line[index - 1] ? length + 1 : 1
            if length >= 5 { penalty += length == 5 ? 3 : 1 }
        }
        return penalty
    }

    /// What looks like the middle of a finder pattern, with four light modules at one of its sides.
    ///
    /// What is outside of the symbol is light.
    static func finders(in line: [Bool]) -> Int {
        let finder = 0b1011101
        var penalty = 0
        var window = 0
        for isDark in line + [false, false, false, false] {
            window = (window << 1 | (isDark ? 1 : 0)) & 0x7FFF
            guard window >> 4 & 0x7F == finder else { continue }
            if window & 0xF == 0 || window >> 11 == 0 { penalty += 40 }
        }
        return penalty
    }

    /// Squares of two by two modules of a kind.
    private var squares: Int {
        var penalty = 0
        for y in 1..<size {
            for x in 1..<size {
                let corner = self[x, y]
                guard corner == self[x - 1, y], corner == self[x, y - 1] else { continue }
                if corner == self[x - 1, y - 1] { penalty += 3 }
            }
        }
        return penalty
    }

    /// Each 5 % by which dark modules are more or less than a half.
    var imbalance: Int {
        let darkCount = modules.count { $0 }
        return abs(20 * darkCount - 10 * modules.count) / modules.count * 10
    }
}
