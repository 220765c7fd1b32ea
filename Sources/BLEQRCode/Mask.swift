/// Which modules of the data are inverted, so that a symbol has no areas that mislead a reader.
///
/// Source: ISO/IEC 18004:2015, table 10.
enum Mask: Int, Sendable, CaseIterable {
    case checkerboard, rows, columns, diagonals, bricks, crosses, crossedSquares, meadow

    func inverts(_ x: Int, _ y: Int) -> Bool {
        switch self {
        case .checkerboard: (x + y) % 2 == 0
        case .rows: y % 2 == 0
        case .columns: x % 3 == 0
        case .diagonals: (x + y) % 3 == 0
        case .bricks: (x / 3 + y / 2) % 2 == 0
        case .crosses: x * y % 2 + x * y % 3 == 0
        case .crossedSquares: (x * y % 2 + x * y % 3) % 2 == 0
        case .meadow: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }
}
