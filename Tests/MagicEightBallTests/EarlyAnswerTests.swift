import BLE
import BLETesting
import Testing

@testable import MagicEightBall

/// Which answer an asker takes on the original pair when one comes before the reply to its write.
@Suite("An answer that comes before the reply")
struct EarlyAnswerTests {
    /// The limit of another answer alone, as for a write that the ball does not confirm.
    private static let fixed = Timeouts().earlyAnswer

    @Test(
        arguments: [
            (Duration.milliseconds(1), Duration.milliseconds(4)),
            (.milliseconds(20), .milliseconds(80)), (.milliseconds(60), fixed), (nil, fixed),
        ] as [(Duration?, Duration)]
    )
    func `is held four times as long as the write took, and 100 ms at most`(
        time: Duration?,
        limit: Duration
    ) throws {
        var asker = try Asker()
        asker.receive(.answer(isOwn: true), at: .zero)
        asker.receive(.reply(after: time), at: .zero)
        #expect(asker.end == limit)
        #expect(asker.hasOwn == true)
    }

    /// Seeds decide how long packets are on their way, when the other asker is answered, and whether the
    /// ball answers before it replies or after it has thought for a while.
    @Test func `is another's no more often than when it is held for 100 ms`() throws {
        var counts = (early: 0, fixed: 0, measured: 0)
        var held = (fixed: Duration.zero, measured: Duration.zero)
        for seed in 0..<20_000 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let answers = TwoAnswers(using: &random)
            guard answers.hasEarlyAnswer else { continue }
            let fixed = try answers.play(isMeasured: false)
            let measured = try answers.play(isMeasured: true)
            counts.early += 1
            counts.fixed += fixed.hasOwn ? 0 : 1
            counts.measured += measured.hasOwn ? 0 : 1
            held.fixed += fixed.end - answers.reply
            held.measured += measured.end - answers.reply
        }
        print(
            "early answers | of 20000, another's taken, held in all",
            "| \(counts.early), \(counts.measured) (\(counts.fixed) when held for 100 ms)",
            "| \(held.measured / max(counts.early, 1)) (\(held.fixed / max(counts.early, 1)))"
        )
        #expect(counts.early > 1_000)
        #expect(counts.measured <= counts.fixed)
        #expect(held.measured < held.fixed)
    }
}

/// When what two askers cause reaches the first one.
private struct TwoAnswers {
    /// The reply to the write, since the write.
    let reply: Duration
    let ownAnswer: Duration
    let otherAnswer: Duration

    /// A ball that begins to answer when it takes the question: at once, before it replies, or after
    /// it has thought no longer than a packet takes.
    init(using random: inout SeededGenerator) {
        // A bus of one machine, or connection intervals of 7.5 to 30 ms.
        let intervals: [Double] = [0.2, 7.5, 15, 30]
        let interval = intervals.randomElement(using: &random) ?? 0
        func packet() -> Double { .random(in: 0.2...1, using: &random) * interval }
        let arrival = packet()
        let thinking = Bool.random(using: &random) ? 0 : packet()
        let reply = arrival + packet()
        // With several ATT channels either may be first; with one, what was sent first.
        let own = arrival + thinking + packet()
        let other = Double.random(in: -interval...reply + 2 * interval, using: &random)
        self.reply = .milliseconds(1) * reply
        ownAnswer = .milliseconds(1) * own
        otherAnswer = .milliseconds(1) * other
    }

    var hasEarlyAnswer: Bool {
        (Duration.zero..<reply).contains(otherAnswer) || ownAnswer < reply
    }

    func play(isMeasured: Bool) throws -> (end: Duration, hasOwn: Bool) {
        var asker = try Asker()
        let events: [(Duration, Asker.Event)] = [
            (reply, .reply(after: isMeasured ? reply : nil)),
            (ownAnswer, .answer(isOwn: true)), (otherAnswer, .answer(isOwn: false)),
        ]
        for (time, event) in events.sorted(by: { $0.0 < $1.0 }) where time >= .zero {
            asker.receive(event, at: time)
        }
        let end = try #require(asker.end)
        return (end, asker.hasOwn == true)
    }
}

/// A question that has just been written, and the timer of its exchange.
private struct Asker {
    enum Event {
        case reply(after: Duration?)
        case answer(isOwn: Bool)
    }

    private var exchange: Exchange
    private var timer: Duration?
    private var ended: (time: Duration, hasOwn: Bool)?

    init() throws {
        exchange = Exchange(
            ExchangeTerms(
                question: try Question("Well?"),
                tag: QuestionTag(1),
                ballName: "Ball",
                timeouts: Timeouts(),
                whenBusy: .giveUp
            )
        )
        _ = exchange.begin()
        _ = exchange.connected(mtuBytes: 185, isPrivate: false)
        _ = exchange.requestSucceeded()
    }

    /// When the question ended, or will if nothing more comes.
    var end: Duration? {
        if let ended { return ended.time }
        return timer
    }

    /// Whether it ends with the answer to its own question.
    var hasOwn: Bool? {
        var copy = self
        if let timer, ended == nil { copy.carryOut(copy.exchange.timedOut(.step), at: timer) }
        return copy.ended?.hasOwn
    }

    mutating func receive(_ event: Event, at time: Duration) {
        if let timer, timer <= time, ended == nil { carryOut(exchange.timedOut(.step), at: timer) }
        switch event {
        case .reply(let duration):
            carryOut(exchange.requestSucceeded(after: duration), at: time)
        case .answer(let isOwn):
            let value = Array((isOwn ? "own" : "another's").utf8)
            carryOut(exchange.notified(value, of: EightBallService.answer), at: time)
        }
    }

    private mutating func carryOut(_ actions: [Exchange.Action], at time: Duration) {
        for action in actions {
            switch action {
            case .startTimer(.step, let limit): timer = time + limit
            case .finish(.success(let answer)): ended = (time, answer.text == "own")
            default: break
            }
        }
    }
}
