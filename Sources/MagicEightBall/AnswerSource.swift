/// Where a ball's answers come from.
///
/// ```swift
/// let source = AnswerSource { question, _ in
///     question.text.count.isMultiple(of: 2) ? Answer(.yes) : Answer(.veryDoubtful)
/// }
/// ```
public struct AnswerSource: Sendable {
    /// Finds an answer, or throws when there is none to be had.
    typealias Think = @Sendable (Question, any CentralDevice) async throws -> Answer

    /// `nil` when nobody but ``CentralDevice/sendAnswer(_:to:)`` answers.
    let think: Think?

    private init(think: Think?) {
        self.think = think
    }

    /// Answers found by a function.
    ///
    /// - Parameter answer: finds the answer to an asker's question. It is called once a question,
    ///   one question at a time, and its task is cancelled when the asker goes, the ball stops, or
    ///   ``Timeouts/thinking`` is over. What it throws, observers are told; the asker hears nothing
    ///   more.
    public init(
        _ answer: @escaping @Sendable (Question, any CentralDevice) async throws -> Answer
    ) {
        self.init(think: answer)
    }

    /// One of the twenty, each as likely as the others.
    public static let random = AnswerSource { _, _ in
        Answer(StockAnswer.allCases.randomElement() ?? .replyHazyTryAgain)
    }

    /// Nobody: each question waits for ``CentralDevice/sendAnswer(_:to:)``.
    public static let manual = AnswerSource(think: nil)

    /// One of the twenty, as a generator of random numbers decides.
    ///
    /// - Parameter generator: decides. A seeded one always gives the same row of answers.
    /// - Returns: the source.
    public static func random(
        using generator: some RandomNumberGenerator & Sendable
    ) -> AnswerSource {
        let dice = Dice(generator)
        return AnswerSource { _, _ in Answer(await dice.roll()) }
    }

    /// Always the same.
    ///
    /// - Parameter answer: what each question is answered.
    /// - Returns: the source.
    public static func fixed(_ answer: Answer) -> AnswerSource {
        AnswerSource { _, _ in answer }
    }
}

/// A generator that questions share.
private actor Dice<Generator: RandomNumberGenerator> {
    private var generator: Generator

    init(_ generator: Generator) {
        self.generator = generator
    }

    func roll() -> StockAnswer {
        StockAnswer.allCases.randomElement(using: &generator) ?? .replyHazyTryAgain
    }
}
