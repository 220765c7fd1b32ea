import Foundation
import TestThreads
import Testing

@testable import BLESocket

/// Streams over links that lose, repeat and reorder frames, and end, as seeds have it.
@Suite("A stream", .ownThread)
struct StreamScheduleTests {
    /// `EIGHTBALL_SCHEDULES` says how many.
    private static let seeds: Range<UInt64> = {
        let count = ProcessInfo.processInfo.environment["EIGHTBALL_SCHEDULES"].flatMap {
            UInt64($0)
        }
        return 0..<(count ?? 24)
    }()

    private func expectAll(
        _ weather: SimulatedStreamLink.Weather,
        byteCount: Int = 30_000,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        for seed in Self.seeds {
            // Others, on buses, have limits of time.
            await Task.yield()
            var link = SimulatedStreamLink(
                seed: seed,
                byteCounts: (
                    Int(seed) % 5 * byteCount / 4, byteCount - Int(seed) % 3 * byteCount / 2
                ),
                weather: weather
            )
            link.play(upTo: .seconds(3_600))
            for end in [link.central, link.peripheral] {
                guard case .some(.none) = end.outcome, end.hasEnded else {
                    Issue.record(
                        "seed \(seed): \(end.outcome as Any)",
                        sourceLocation: sourceLocation
                    )
                    return
                }
            }
            #expect(link.isComplete, "seed \(seed)", sourceLocation: sourceLocation)
        }
    }

    @Test func `carries all over a good link`() async {
        await expectAll(SimulatedStreamLink.Weather())
    }

    @Test(arguments: [20, 182, 514])
    func `carries all whatever the MTU`(byteCount: Int) async {
        var weather = SimulatedStreamLink.Weather()
        weather.byteCount = byteCount
        await expectAll(weather, byteCount: 10_000)
    }

    @Test func `carries all when frames overtake each other`() async {
        var weather = SimulatedStreamLink.Weather()
        weather.latency = .milliseconds(1)...(.milliseconds(60))
        await expectAll(weather)
    }

    @Test func `carries all when frames are lost and repeated`() async {
        var weather = SimulatedStreamLink.Weather()
        weather.latency = .milliseconds(1)...(.milliseconds(60))
        weather.loss = 50
        weather.repetition = 50
        await expectAll(weather)
    }

    @Test func `goes on over the next link with what has not come`() async {
        var weather = SimulatedStreamLink.Weather()
        weather.latency = .milliseconds(1)...(.milliseconds(60))
        weather.loss = 20
        weather.linkEnd = 20
        await expectAll(weather)
    }

    @Test(arguments: [false, true])
    func `carries all whichever frame is the last of a link`(hasCome: Bool) {
        var number = 0
        var link: SimulatedStreamLink
        repeat {
            number += 1
            var weather = SimulatedStreamLink.Weather()
            weather.byteCount = 20
            if hasCome { weather.lastReceived = number } else { weather.lastSent = number }
            link = SimulatedStreamLink(seed: 1, byteCounts: (60, 40), weather: weather)
            link.play(upTo: .seconds(3_600))
            #expect(link.isComplete, "after \(number)")
            for end in [link.central, link.peripheral] {
                guard case .some(.none) = end.outcome, end.hasEnded else {
                    Issue.record("after \(number): \(end.outcome as Any)")
                    continue
                }
            }
        } while number <= (hasCome ? link.receivedCount : link.frameCount)
        // Two hellos, data in four and three frames, two ends, and what confirms them.
        #expect(number > 12)
    }

    @Test func `passes over the frames of other sessions`() async {
        var weather = SimulatedStreamLink.Weather()
        weather.latency = .milliseconds(1)...(.milliseconds(60))
        weather.loss = 20
        weather.repetition = 20
        weather.linkEnd = 20
        weather.isShared = true
        await expectAll(weather)
    }

    /// What is written while a link is full waits for little more than a round trip.
    @Test(arguments: [10_000, 50_000, 170_000], [5, 20, 60])
    func `fills a link, and lets nothing wait long`(byteRate: Int, milliseconds: Int) {
        let latency = Duration.milliseconds(milliseconds)
        var weather = SimulatedStreamLink.Weather()
        weather.latency = latency...latency
        weather.byteRate = byteRate
        weather.byteCount = 244
        let byteCount = 30 * byteRate
        var link = SimulatedStreamLink(seed: 1, byteCounts: (byteCount, 0), weather: weather)
        link.play(upTo: .seconds(3_600))
        #expect(link.isComplete)
        // It carries as much in 30 s.
        #expect(link.now < .seconds(33))
        let delays = link.delays.filter { $0.time > .seconds(3) }.map(\.delay).sorted()
        let frame = Duration.seconds(Double(weather.byteCount) / Double(byteRate))
        let roundTrip =
            latency * 2 + StreamConfiguration.acknowledgementDelay + frame * 6
        #expect(delays[delays.count / 2] < roundTrip * 2)
        #expect(delays[delays.count * 9 / 10] < roundTrip * 3)
    }
}
