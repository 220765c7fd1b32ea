import BLETesting
import MagicEightBall

/// What is to become of a question; its first word says so to the ball.
enum QuestionKind: String {
    /// Answered at once.
    case now
    /// Answered after a while.
    case late
    /// Refused after it was accepted.
    case refused
    /// Refused at once.
    case unwanted
    /// No answer can be found.
    case failing
    /// No question: it has no question mark.
    case statement
    /// Its asker gives up before it is answered.
    case leaving

    /// 90 % at once, 5 % late, the rest of each about 1 %.
    static func random(using generator: inout SeededGenerator) -> QuestionKind {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<5: .late
        case 5: .refused
        case 6: .unwanted
        case 7: .failing
        case 8: .statement
        case 9: .leaving
        default: .now
        }
    }

    /// The text of a question: no two have the same.
    func text(_ number: Int, of asker: String) -> String {
        let text = "\(rawValue) \(number) of \(asker), will it rain"
        return self == .statement ? text : text + "?"
    }

    /// What a question is, by its text.
    init(of text: String) {
        self = QuestionKind(rawValue: String(text.prefix { $0 != " " })) ?? .statement
    }

    /// The only right answer to a question.
    static func answer(to text: String) -> String { "yes: \(text)" }

    /// How long a late answer takes: from a tenth of the most to the most, by the question's number.
    static func delay(of text: String, atMost most: Duration) -> Duration {
        let number = Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0
        return most / 10 * (number % 10 + 1)
    }
}

extension AnswerSource {
    /// Does what the first word of each question says.
    static func obedient(on clock: VirtualClock) -> AnswerSource {
        AnswerSource { question, _ in
            let text = question.text
            switch QuestionKind(of: text) {
            case .late, .leaving:
                // An original asker waits for 2 s.
                let isPlain = text.contains("plain")
                let most: Duration = isPlain ? .milliseconds(1500) : .seconds(20)
                try await clock.sleep(for: QuestionKind.delay(of: text, atMost: most))
            case .refused: throw RejectionReason.refused.saying("not this one")
            case .failing: throw NoAnswer()
            case .now, .unwanted, .statement: break
            }
            return try Answer(QuestionKind.answer(to: text))
        }
        .refusing { question, _ in
            QuestionKind(of: question.text) == .unwanted ? .tooManyQuestions : nil
        }
    }
}

private struct NoAnswer: Error {}
