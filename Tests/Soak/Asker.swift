import BLEDBus
import BLELocking
import BLETesting

/// Somebody who asks, and what for.
protocol Asker: Sendable {
    /// Who asks, and how: a part of each question.
    var name: String { get }

    /// Asks some questions in a row.
    func ask(_ questions: [(kind: QuestionKind, text: String)], _ scene: Scene) async
}

/// What all askers share.
struct Scene: Sendable {
    let clock: VirtualClock
    let tally: Tally
    let gate = Gate()

    /// When the first question is asked, and how long all of them take.
    let start: VirtualClock.Instant
    let duration: Duration

    /// How long everybody has rested; that comes on top.
    let rest = Rest()

    /// Asks so many questions in the time there is: 1 to 10 in a row, then a pause; now and then a
    /// pause so long that links which are not needed are given back.
    func run(_ asker: some Asker, questionCount: Int, seed: UInt64) async {
        var generator = SeededGenerator(seed: seed)
        var number = 0
        while number < questionCount {
            await gate.pass()
            await pause(until: instant(after: duration * (Double(number) / Double(questionCount))))
            await gate.pass()
            let count = min(Int.random(in: 1...10, using: &generator), questionCount - number)
            let questions = (number..<number + count).map { number in
                let kind = QuestionKind.random(using: &generator)
                return (kind: kind, text: kind.text(number, of: asker.name))
            }
            await asker.ask(questions, self)
            number += count
            if Int.random(in: 0..<50, using: &generator) == 0 { await pause(for: .seconds(45)) }
        }
    }

    /// When so much of the time has passed, as far as it is known how long everybody rests.
    func instant(after duration: Duration) -> VirtualClock.Instant {
        start.advanced(by: duration + rest.duration)
    }

    func pause(for duration: Duration) async {
        await pause(until: clock.now.advanced(by: duration))
    }

    func pause(until instant: VirtualClock.Instant) async {
        do {
            try await clock.sleep(until: instant, tolerance: nil)
        } catch {
            // Cancelled: the soak has failed, and says why elsewhere.
        }
    }
}

/// A sum of rests.
final class Rest: Sendable {
    private let sum = Locked(Duration.zero)

    var duration: Duration { sum.withLock { $0 } }

    func add(_ duration: Duration) {
        sum.withLock { $0 += duration }
    }
}

extension Duration {
    static func * (duration: Duration, factor: Double) -> Duration {
        .seconds((duration / .seconds(1)) * factor)
    }
}
