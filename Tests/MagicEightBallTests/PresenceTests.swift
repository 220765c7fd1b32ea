import BLE
import Testing

@testable import MagicEightBall

@Suite("How a ball is heard")
struct PresenceTests {
    /// What is heard one after the other, and what it makes of a ball.
    struct Course: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// dBm heard, smoothed, whether in range, whether that is told.
        let steps: [(heard: Int?, smoothed: Int, isInRange: Bool, isTold: Bool)]

        init(_ name: String, _ steps: [(Int?, Int, Bool, Bool)]) {
            testDescription = name
            self.steps = steps
        }
    }

    private static let courses = [
        Course("steady", [(-50, -50, true, false), (-50, -50, true, false)]),
        Course(
            "a single jump does not count for much",
            [(-70, -55, true, true), (-50, -54, true, false), (-50, -53, true, false)]
        ),
        Course(
            "small steps are told when they add up to 3 dB",
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
        Course("heard without a strength", [(nil, -50, true, false), (-46, -49, true, false)]),
    ]

    @Test(
        "A strength is smoothed, judged with hysteresis, and told when it matters",
        arguments: courses
    )
    func course(course: Course) {
        let window = RSSI(-60)...RSSI(-20)
        var presence = Presence(RSSI(-50), window: window, at: .now)
        #expect(presence.isInRange)
        for (index, step) in course.steps.enumerated() {
            let isTold = presence.hear(step.heard.map { RSSI($0) }, window: window, at: .now)
            #expect(presence.smoothedRSSI == RSSI(step.smoothed), "step \(index)")
            #expect(presence.isInRange == step.isInRange, "step \(index)")
            #expect(isTold == step.isTold, "step \(index)")
        }
    }

    @Test("The first strength counts in full, also when it comes late")
    func late() {
        let window = RSSI(-60)...RSSI(-20)
        var presence = Presence(nil, window: window, at: .now)
        #expect(presence.smoothedRSSI == nil)
        #expect(!presence.isInRange)
        let isTold = presence.hear(RSSI(-40), window: window, at: .now)
        #expect(isTold)
        #expect(presence.smoothedRSSI == RSSI(-40))
        #expect(presence.isInRange)
    }

    @Test("A ball is silent after four quarters that have passed in full")
    func silence() {
        let window = RSSI(-60)...RSSI(-20)
        var presence = Presence(RSSI(-50), window: window, at: .now)
        #expect(quartersUntilLost(&presence) == 5)
        _ = presence.passPeriod()
        _ = presence.hear(nil, window: window, at: .now)
        #expect(quartersUntilLost(&presence) == 5)
        presence.excuse()
        #expect(quartersUntilLost(&presence) == 5)
    }

    private func quartersUntilLost(_ presence: inout Presence) -> Int {
        var count = 1
        while !presence.passPeriod() { count += 1 }
        return count
    }

    @Test("It is known when a ball was heard last")
    func lastHeard() {
        let now = ContinuousClock.now
        var presence = Presence(nil, window: RSSI(-60)...RSSI(-20), at: now)
        _ = presence.hear(nil, window: RSSI(-60)...RSSI(-20), at: now + .seconds(3))
        #expect(presence.lastHeard == now + .seconds(3))
    }
}
