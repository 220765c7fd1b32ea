/// Which points are near each other, without comparing each with each.
struct Grid {
    private let points: [Movement.Point]
    private let columnCount: Int
    private let rowCount: Int
    private var cells: [[Int]]
    private let cell: Double

    /// - Parameters:
    ///   - points: none of them below zero.
    ///   - cell: how far apart two may be that are looked for.
    init(_ points: [Movement.Point], cell: Double) {
        self.points = points
        let (width, height) = (points.map(\.x).max() ?? 0, points.map(\.y).max() ?? 0)
        // Few points far apart would have mostly empty cells, and no memory has room for all of them.
        let cell = max(cell, max(width, height) / (8 * Double(points.count).squareRoot()))
        self.cell = cell
        columnCount = 1 + Int(width / cell)
        rowCount = 1 + Int(height / cell)
        cells = Array(repeating: [], count: columnCount * rowCount)
        for (number, point) in points.enumerated() {
            cells[Int(point.y / cell) * columnCount + Int(point.x / cell)].append(number)
        }
    }

    /// The pairs that are so near, the lower number first, always in the same order.
    func pairs(within squareDistance: Double) -> [(Int, Int)] {
        var pairs: [(Int, Int)] = []
        for (number, point) in points.enumerated() {
            let (column, row) = (Int(point.x / cell), Int(point.y / cell))
            for row in max(0, row - 1)...min(rowCount - 1, row + 1) {
                for column in max(0, column - 1)...min(columnCount - 1, column + 1) {
                    for other in cells[row * columnCount + column]
                    where other > number
                        && point.squareDistance(to: points[other]) <= squareDistance
                    {
                        pairs.append((number, other))
                    }
                }
            }
        }
        return pairs
    }
}
