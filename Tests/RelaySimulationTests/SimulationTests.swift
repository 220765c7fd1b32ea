import MeshRelay
import TestThreads
import Testing

@testable import RelaySimulation

@Suite("A simulation", .ownThread)
struct SimulationTests {
    private static func run(
        _ mobility: Scenario.Mobility,
        seed: UInt64 = 1,
        _ change: (inout Scenario) -> Void = { _ in }
    ) -> SimulationReport {
        var scenario = Scenario(nodeCount: 24, mobility: mobility, seed: seed)
        scenario.seconds = 900
        change(&scenario)
        var simulation = Simulation(scenario)
        return simulation.run()
    }

    @Test(arguments: Scenario.Mobility.allCases)
    func `has the same outcome each time`(mobility: Scenario.Mobility) {
        let report = Self.run(mobility)
        #expect(report == Self.run(mobility))
        #expect(report != Self.run(mobility, seed: 2))
        #expect(report.sent > 8 && report.delivered <= report.sent)
        #expect(report.acknowledged <= report.delivered)
        #expect(report.delays.count == report.delivered && report.delays == report.delays.sorted())
    }

    /// Who stands so close that each hears each other.
    @Test func `delivers all where all are near each other`() {
        let report = Self.run(.still) {
            // Each with a connection to each.
            $0.nodeCount = 8
            $0.density = 1_000
            $0.messagesPerHour = 20
        }
        #expect(report.delivered == report.sent)
        #expect(report.acknowledged == report.sent)
        #expect(report.degree > 6 && report.degree <= 7)
        #expect(report.delay(percent: 50) < 2_000)
    }

    @Test func `delivers nothing where nobody is in reach`() {
        let report = Self.run(.still) { $0.rangeMetres = 0.001 }
        // The ground is as small as the reach: so they are put far apart.
        let far = Self.run(.still) { $0.density = 0.000_1 }
        #expect(report.sent == far.sent)
        #expect(far.delivered == 0 && far.transfers == 0 && far.connections == 0)
    }

    /// In seconds, with what is kept forgotten after its time.
    @Test func `of a day loses count of no packet`() {
        let report = Self.run(.walk) {
            $0.nodeCount = 8
            $0.messagesPerHour = 1
            $0.seconds = 86_400
        }
        #expect(report.sent > 100 && report.deliveryRate > 0.95)
        let dropped = report.dropped.values.reduce(0, +)
        #expect(report.received == report.receivedByTarget + report.relayed + dropped)
        // A message, and its acknowledgement; some come again after an hour, when they are not remembered any more.
        #expect(report.receivedByTarget >= report.delivered + report.acknowledged)
        #expect(report.relayed > report.delivered)
    }

    /// Between two crowds that never see each other messages go with those who walk from one to the other.
    @Test func `carries messages between crowds`() {
        let report = Self.run(.crowds) {
            $0.nodeCount = 40
            $0.seconds = 3_600
        }
        #expect(report.deliveryRate > 0.9)
        #expect(report.delay(percent: 95) > 30_000)
    }

    @Test func `sends again what was lost`() {
        let clean = Self.run(.still) { $0.lossRate = 0 }
        let lossy = Self.run(.still) { $0.lossRate = 0.5 }
        let (once, often) = (
            clean.airMicroseconds / Int64(clean.transfers),
            lossy.airMicroseconds / Int64(lossy.transfers)
        )
        #expect(Double(often) / Double(once) > 1.9 && Double(often) / Double(once) < 2.1)
    }

    /// A controller has so many connections and no more.
    @Test func `has no more connections than radios can`() {
        let report = Self.run(.walk) {
            $0.density = 50
            $0.connectionLimit = 3
        }
        #expect(report.degree <= 3)
    }
}

@Suite("Time on the air")
struct AirTimeTests {
    /// Each link-layer packet has 10 bytes beside its payload, and a reply of 10 bytes and two pauses.
    @Test(arguments: [(0, 1, 516), (13, 1, 620), (244, 1, 2_468), (245, 2, 2_936)])
    func `is that of LE 1M`(byteCount: Int, packetCount: Int, microseconds: Int64) {
        #expect(AirTime.packetCount(of: byteCount) == packetCount)
        #expect(AirTime.microseconds(of: byteCount) == microseconds)
    }
}

@Suite("Points that are near each other")
struct GridTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `are the same as when each is compared with each`(seed: UInt64) {
        let points = Movement(Scenario(nodeCount: 100, mobility: .walk, seed: seed)).points
        let square = 40.0 * 40
        var expected: Set<[Int]> = []
        for one in points.indices {
            for other in points.indices
            where other > one && points[one].squareDistance(to: points[other]) <= square {
                expected.insert([one, other])
            }
        }
        let pairs = Grid(points, cell: 40).pairs(within: square).map { [$0, $1] }
        #expect(Set(pairs) == expected && pairs.count == expected.count)
    }

    /// No memory has room for all the cells between them.
    @Test func `are found in any room`() {
        let far = 1e12
        let points = [
            Movement.Point(x: 0, y: 0), Movement.Point(x: 30, y: 0),
            Movement.Point(x: far, y: far), Movement.Point(x: far, y: far - 30),
        ]
        let pairs = Grid(points, cell: 40).pairs(within: 40 * 40).map { [$0, $1] }
        #expect(pairs == [[0, 1], [2, 3]])
    }
}

@Suite("Movement")
struct MovementTests {
    @Test(arguments: Scenario.Mobility.allCases)
    func `stays on the ground, and is no faster than it may be`(mobility: Scenario.Mobility) {
        let scenario = Scenario(nodeCount: 100, mobility: mobility, seed: 3)
        var movement = Movement(scenario)
        var farthest = 0.0
        for _ in 0..<1_000 {
            let before = movement.points
            movement.advance()
            for (old, new) in zip(before, movement.points) {
                farthest = max(farthest, old.squareDistance(to: new).squareRoot())
                #expect(new.x >= 0 && new.y >= 0)
            }
        }
        let fastest: [Scenario.Mobility: ClosedRange<Double>] = [
            .still: 0...0, .walk: 1...1.5, .crowds: 1...1.5, .march: 0.1...0.2,
        ]
        #expect(fastest[mobility]?.contains(farthest) == true)
    }
}
