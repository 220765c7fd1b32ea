/// An asker, as a ball sees it.
///
/// ```swift
/// try await asker.sendAnswer(Answer(.outlookGood), to: question)
/// ```
public protocol CentralDevice: Device {
    /// The last question of this asker that the ball has accepted.
    var question: Question? { get async }

    /// The last answer that this asker was sent.
    var answer: Answer? { get async }

    /// Answers a question of this asker.
    ///
    /// Meant for a ball whose ``AnswerSource`` is ``AnswerSource/manual``. Observers are told by
    /// ``PeripheralObserver/peripheral(_:didSend:to:of:)``.
    ///
    /// - Parameters:
    ///   - answer: what to answer. A text that is longer than one packet to this asker carries is
    ///     sent cut, with `…` at its end; the asker can read it whole.
    ///   - question: what was asked.
    /// - Throws: ``EightBallError`` with ``EightBallError/Code/deviceOffline`` when the question no
    ///   longer waits for an answer: it was answered, took too long, or its asker has gone.
    func sendAnswer(_ answer: Answer, to question: Question) async throws
}
