import BLE
import Testing

@testable import BLESession

@Suite("Signal strength and loss of a peer")
struct PresenceTests {
    /// Sightings one after the other, and what comes of each.
    struct Course: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// dBm, smoothed, whether in range, whether that is reported.
        let steps: [(rssi: Int?, smoothed: Int, isInRange: Bool, isReported: Bool)]

        init(_ name: String, _ steps: [(Int?, Int, Bool, Bool)]) {
            testDescription = name
            self.steps = steps
        }
    }

    @Test func `its periods are a quarter of the limit, but not without end in no time`() {
        #expect(Presence.period(of: .seconds(20)) == .seconds(5))
        #expect(Presence.period(of: .zero) == .milliseconds(10))
    }

    private static let courses = [
        Course("steady", [(-50, -50, true, false), (-50, -50, true, false)]),
        Course(
            "a single jump does not count for much",
            [(-70, -55, true, true), (-50, -54, true, false), (-50, -53, true, false)]
        ),
        Course(
            "small steps are reported when they add up to 3 dB",
            [
                (-52, -51, true, false), (-54, -51, true, false), (-54, -52, true, false),
                (-54, -53, true, false), (-56, -53, true, true), (-56, -54, true, false),
            ]
        ),
        Course(
            "out of range below -66, in range again at -60",
            [
                (-70, -55, true, true), (-70, -59, true, true), (-70, -62, true, false),
                (-70, -64, true, true), (-70, -65, true, false), (-70, -66, false, true),
                (-70, -67, false, false), (-60, -65, false, false), (-60, -64, false, false),
                (-50, -61, false, true), (-50, -58, true, true),
            ]
        ),
        Course("too near", [(0, -38, true, true), (20, -23, true, true), (20, -12, false, true)]),
        Course("seen without a strength", [(nil, -50, true, false), (-46, -49, true, false)]),
    ]

    @Test(
        "A strength is smoothed, judged with hysteresis, and reported when it matters",
        arguments: courses
    )
    func course(course: Course) {
        let window = RSSI(-60)...RSSI(-20)
        var presence = Presence(RSSI(-50), window: window, at: .now)
        #expect(presence.isInRange)
        for (index, step) in course.steps.enumerated() {
            let isReported = presence.update(step.rssi.map { RSSI($0) }, window: window, at: .now)
            #expect(presence.smoothedRSSI == RSSI(step.smoothed), "step \(index)")
            #expect(presence.isInRange == step.isInRange, "step \(index)")
            #expect(isReported == step.isReported, "step \(index)")
        }
    }

    @Test("A peer is lost after four periods that have passed in full")
    func loss() {
        let window = RSSI(-60)...RSSI(-20)
        var presence = Presence(RSSI(-50), window: window, at: .now)
        #expect(periodsUntilLost(&presence) == 5)
        _ = presence.endPeriod()
        _ = presence.update(nil, window: window, at: .now)
        #expect(periodsUntilLost(&presence) == 5)
        presence.resetPeriods()
        #expect(periodsUntilLost(&presence) == 5)
    }

    private func periodsUntilLost(_ presence: inout Presence) -> Int {
        var count = 1
        while !presence.endPeriod() { count += 1 }
        return count
    }

    @Test("The time of the last sighting is kept")
    func lastSeen() {
        let now = ContinuousClock.now
        var presence = Presence(RSSI(-50), window: RSSI(-60)...RSSI(-20), at: now)
        _ = presence.update(nil, window: RSSI(-60)...RSSI(-20), at: now + .seconds(3))
        #expect(presence.lastSeen == now + .seconds(3))
    }
}
