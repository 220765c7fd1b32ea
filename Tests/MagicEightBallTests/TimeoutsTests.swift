import MagicEightBall
import Testing

@Suite
struct TimeoutsTests {
    @Test("Limits that nobody has set are those in the documentation")
    func unset() {
        let documented = Timeouts(
            discovery: .seconds(10),
            loss: .seconds(20),
            connection: .seconds(10),
            resolution: .seconds(10),
            subscription: .seconds(2),
            acceptance: .seconds(2),
            answer: .seconds(2),
            privateAnswer: .seconds(65),
            question: .seconds(120),
            idleLink: .seconds(30),
            earlyAnswer: .milliseconds(100),
            thinking: .seconds(60),
            settling: .milliseconds(100),
            reply: .seconds(60),
            radio: .seconds(10),
            retry: .seconds(1)
        )
        #expect(Timeouts() == documented)
    }
}
