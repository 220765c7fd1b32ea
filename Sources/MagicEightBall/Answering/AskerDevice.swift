public import BLE

/// An asker, as a ball sees it.
///
/// ```swift
/// try await asker.sendAnswer(Answer(.outlookGood), to: question)
/// ```
public protocol AskerDevice: EightBallDevice {
    /// The asker's address, as far as the radio knows one; many devices change theirs now and then.
    ///
    /// Its kind is not known, and reads as public.
    var address: BluetoothAddress? { get }

    /// Whether the asker is connected.
    var isConnected: Bool { get async }

    /// Whether the asker has subscribed to answers; `nil` when that cannot be known.
    ///
    /// Systems report a subscription without its central, so it is known while one asker is connected,
    /// or without any subscription.
    var isSubscribed: Bool? { get async }

    /// The most bytes of one ATT packet to the asker, 23 to 517; `nil` before its first request.
    var mtuBytes: Int? { get async }

    /// The last question of this asker that the ball has accepted.
    var question: Question? { get async }

    /// The last answer that was sent to this asker, or notified as ready to be read.
    var answer: Answer? { get async }

    /// Answers a question of this asker.
    ///
    /// Meant for a ball whose ``AnswerSource`` is ``AnswerSource/manual``. Reported by
    /// ``PeripheralObserver/peripheral(_:didSend:to:of:)``.
    ///
    /// - Parameters:
    ///   - answer: what to answer. An original asker is sent a text that is longer than one packet
    ///     cut, with `…` at its end, and can read it whole.
    ///   - question: what was asked.
    /// - Throws: ``EightBallError`` with ``EightBallError/Code/deviceOffline`` when the question no
    ///   longer waits for an answer: it was answered, took too long, or its asker has gone; the radio's
    ///   failure; `CancellationError`, and then the question has ended as
    ///   ``EightBallError/Code/cancelled``.
    func sendAnswer(_ answer: Answer, to question: Question) async throws

    /// Refuses a question of this asker that the ball has accepted.
    ///
    /// An asker of this SDK reads the reason, with its words; an original one gets no answer. Reported by
    /// ``PeripheralObserver/peripheral(_:didFailToAnswer:of:because:)``.
    ///
    /// - Parameters:
    ///   - question: what was asked.
    ///   - reason: why there is no answer. Words of more than 480 bytes are sent cut.
    /// - Throws: ``EightBallError`` with ``EightBallError/Code/deviceOffline`` as ``sendAnswer(_:to:)``.
    func refuse(_ question: Question, because reason: RejectionReason) async throws
}
