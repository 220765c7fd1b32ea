internal import BLETesting

/// Where the nodes are.
struct Movement {
    struct Point: Hashable {
        var x: Double
        var y: Double

        func squareDistance(to other: Point) -> Double {
            let (dx, dy) = (x - other.x, y - other.y)
            return dx * dx + dy * dy
        }
    }

    private struct Walker {
        var target: Point
        var metresPerSecond: Double
        var restSeconds: Double
        /// In which part of the ground it stays.
        var area: Area
    }

    private struct Area {
        let origin: Point
        let width: Double
        let height: Double
    }

    private(set) var points: [Point] = []
    private var walkers: [Walker] = []
    private var random: SeededGenerator
    private let mobility: Scenario.Mobility

    init(_ scenario: Scenario) {
        random = SeededGenerator(seed: scenario.seed ^ 0x6D6F_7665)
        mobility = scenario.mobility
        let areas = Self.areas(scenario)
        for node in 0..<scenario.nodeCount {
            // The last area is for those that go through all of it.
            let isFerry = mobility == .crowds && node % 20 == 0
            let area = isFerry ? areas[2] : areas[mobility == .crowds ? node % 2 : 0]
            let point = Self.point(in: area, &random)
            points.append(point)
            walkers.append(Walker(target: point, metresPerSecond: 0, restSeconds: 0, area: area))
        }
    }

    private static func areas(_ scenario: Scenario) -> [Area] {
        let side = scenario.sideMetres
        switch scenario.mobility {
        case .still, .walk:
            return [Area(origin: Point(x: 0, y: 0), width: side, height: side)]
        case .march:
            let width = side / 20.0.squareRoot()
            return [Area(origin: Point(x: 0, y: 0), width: width * 20, height: width)]
        case .crowds:
            let width = side / 2.0.squareRoot()
            let gap = 3 * scenario.rangeMetres
            let second = Point(x: width + gap, y: 0)
            return [
                Area(origin: Point(x: 0, y: 0), width: width, height: width),
                Area(origin: second, width: width, height: width),
                Area(origin: Point(x: 0, y: 0), width: 2 * width + gap, height: width),
            ]
        }
    }

    private static func point(in area: Area, _ random: inout SeededGenerator) -> Point {
        Point(
            x: area.origin.x + .random(in: 0...area.width, using: &random),
            y: area.origin.y + .random(in: 0...area.height, using: &random)
        )
    }

    /// A second passes.
    mutating func advance() {
        guard mobility != .still else { return }
        for node in points.indices { advance(node) }
    }

    private mutating func advance(_ node: Int) {
        var walker = walkers[node]
        defer { walkers[node] = walker }
        guard walker.restSeconds < 1 else {
            walker.restSeconds -= 1
            return
        }
        let distance = points[node].squareDistance(to: walker.target).squareRoot()
        guard distance > walker.metresPerSecond else {
            points[node] = walker.target
            let isMarch = mobility == .march
            walker.target = Self.point(in: walker.area, &random)
            walker.metresPerSecond = .random(in: isMarch ? 0.05...0.2 : 0.5...1.5, using: &random)
            walker.restSeconds = isMarch ? 0 : .random(in: 0...60, using: &random)
            return
        }
        let part = walker.metresPerSecond / distance
        points[node].x += (walker.target.x - points[node].x) * part
        points[node].y += (walker.target.y - points[node].y) * part
    }
}
