import Testing

@testable import BLESocket

/// How long a confirmation is waited for.
@Suite("A stream's time-out")
struct RetransmissionTimerTests {
    @Test func `leaves room for a queue also on a link of long round trips`() {
        var timer = RetransmissionTimer()
        #expect(timer.limit == .seconds(1))
        for _ in 0..<50 { timer.add(.milliseconds(150)) }
        #expect(timer.limit >= .milliseconds(350))
        #expect(timer.limit < .milliseconds(400))
    }

    @Test func `doubles when nothing is confirmed, up to ten seconds, and starts again`() {
        var timer = RetransmissionTimer()
        for _ in 0..<50 { timer.add(.milliseconds(10)) }
        let limit = timer.limit
        timer.backOff()
        #expect(timer.limit == limit * 2)
        for _ in 0..<10 { timer.backOff() }
        #expect(timer.limit == .seconds(10))
        timer.add(.milliseconds(10))
        #expect(timer.limit < limit + .milliseconds(10))
        timer.reset()
        #expect(timer.limit == .seconds(1))
    }
}
