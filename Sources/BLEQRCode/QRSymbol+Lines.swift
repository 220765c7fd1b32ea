extension QRSymbol {
    /// The symbol as text: two modules, one above the other, in each cell of a terminal.
    ///
    /// The characters are `█`, `▀`, `▄` and the space. A reader needs dark modules on a light ground, so which of the two are
    /// drawn depends on the terminal's colours; not every reader takes a symbol that has them exchanged.
    ///
    /// - Parameters:
    ///   - quietZone: how many light modules are around the symbol. The standard asks for 4, most readers are content with 2.
    ///   - isInverted: whether light modules are drawn, for light text on a dark ground, in place of the dark ones.
    /// - Returns: lines of the same width, from the top.
    package func lines(quietZone: Int = 4, isInverted: Bool = false) -> [String] {
        precondition(quietZone >= 0, "a quiet zone has no negative width")
        let modules = -quietZone..<size + quietZone
        return stride(from: -quietZone, to: size + quietZone, by: 2).map { y in
            modules.map { x in
                let isDrawn = (isDark(x, y) != isInverted, isDark(x, y + 1) != isInverted)
                return switch isDrawn {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }
            .joined()
        }
    }

    /// What is around the symbol is light.
    private func isDark(_ x: Int, _ y: Int) -> Bool {
        0..<size ~= x && 0..<size ~= y && self[x, y]
    }
}
