extension Character {
    /// How many cells of a terminal it is drawn in: 0, 1 or 2.
    ///
    /// Emoji of several scalars (families, flags, skin tones, keycaps) take two cells as a whole, ideographs two,
    /// combining marks that stand alone and control characters none. That is how terminals draw that know
    /// what a character is; glibc's `wcwidth` counts each scalar for itself.
    ///
    /// Source: Unicode Standard Annex #11, East Asian Width; Technical Standard #51, Emoji.
    public var displayWidth: Int {
        var width = 0
        for scalar in unicodeScalars {
            // Asks for the picture of a scalar that is text by default.
            if scalar.value == 0xFE0F, unicodeScalars.first?.properties.isEmoji == true { return 2 }
            width += scalar.displayWidth
            if width >= 2 { return 2 }
        }
        return width
    }
}

extension StringProtocol {
    /// How many cells of a terminal its characters are drawn in, one after the other.
    public var displayWidth: Int {
        reduce(0) { $0 + $1.displayWidth }
    }
}

extension Unicode.Scalar {
    /// How many cells it takes when it stands alone.
    var displayWidth: Int {
        if value < 0x300 {
            return value < 0x20 || (0x7F..<0xA0).contains(value) || value == 0xAD ? 0 : 1
        }
        if isIn(WidthTable.two) { return 2 }
        return isIn(WidthTable.none) ? 0 : 1
    }

    private func isIn(_ ranges: [(first: UInt32, last: UInt32)]) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].last < value { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].first <= value
    }
}
