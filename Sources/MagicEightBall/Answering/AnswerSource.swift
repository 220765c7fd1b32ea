/// Where a ball's answers come from.
///
/// ```swift
/// let source = AnswerSource { question, _ in
///     question.text.count.isMultiple(of: 2) ? Answer(.yes) : Answer(.veryDoubtful)
/// }
/// ```
public struct AnswerSource: Sendable {
    /// Finds an answer, or throws when there is none to be had.
    typealias Think = @Sendable (Question, any AskerDevice) async throws -> Answer

    /// Why a question is refused; `nil` when it is not.
    typealias Check = @Sendable (Question, any AskerDevice) -> RejectionReason?

    /// `nil` when only ``AskerDevice/sendAnswer(_:to:)`` answers.
    let think: Think?

    /// Asked before a question is accepted; `nil` when none is refused.
    let check: Check?

    private init(think: Think?, check: Check? = nil) {
        self.think = think
        self.check = check
    }

    /// Answers found by a function.
    ///
    /// The function may take its time: a person, a command or the network may be behind it. An error
    /// that it throws is reported by
    /// ``PeripheralObserver/peripheral(_:didFailToAnswer:of:because:)``. An asker with a private reply
    /// is also refused: with the ``RejectionReason`` if one was thrown, else as
    /// ``RejectionReason/peripheralError``. An original asker gets no answer.
    ///
    /// - Parameter answer: finds the answer to an asker's question. It is called once a question, in
    ///   the order in which they came, for as many at once as the ball was made for. Its task is
    ///   cancelled when the asker goes or has asked more than it may, when the ball stops, and when
    ///   ``Timeouts/thinking`` is over; what it still returns is dropped.
    public init(
        _ answer: @escaping @Sendable (Question, any AskerDevice) async throws -> Answer
    ) {
        self.init(think: answer)
    }

    /// The same source, but some questions are refused before it is asked.
    ///
    /// ```swift
    /// let source = AnswerSource.random.refusing { question, _ in
    ///     question.text.contains("lottery") ? .refused : nil
    /// }
    /// ```
    ///
    /// - Parameter check: why an asker's question is refused; `nil` when it is not. The asker waits
    ///   for this, and so do all others, so it must decide from what it knows. It is called after
    ///   the ball's own checks, but the one for room.
    /// - Returns: the source. What this one refuses already is refused first.
    public func refusing(
        _ check: @escaping @Sendable (Question, any AskerDevice) -> RejectionReason?
    ) -> AnswerSource {
        let earlier = self.check
        return AnswerSource(think: think) { earlier?($0, $1) ?? check($0, $1) }
    }

    /// One of the twenty, each as likely as the others.
    public static let random = AnswerSource { _, _ in
        Answer(StockAnswer.allCases.randomElement() ?? .replyHazyTryAgain)
    }

    /// No source: each question waits for ``AskerDevice/sendAnswer(_:to:)`` or
    /// ``AskerDevice/refuse(_:because:)``.
    ///
    /// They may come in any order, also for questions whose turn has not come. A question is given
    /// up when ``Timeouts/thinking`` is over since its turn came.
    public static let manual = AnswerSource(think: nil)

    /// One of the twenty, as a generator of random numbers decides.
    ///
    /// - Parameter generator: decides. A seeded one always gives the same sequence of answers.
    /// - Returns: the source.
    public static func random(
        using generator: some RandomNumberGenerator & Sendable
    ) -> AnswerSource {
        let dice = Dice(generator)
        return AnswerSource { _, _ in Answer(await dice.roll()) }
    }

    /// The same answer to every question.
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
