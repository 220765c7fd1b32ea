internal import BLE

/// The state machine of one question that a ball has accepted: it takes events and returns actions.
///
/// | state | goes on with |
/// |---|---|
/// | waiting | its turn, an answer, a refusal |
/// | thinking | an answer, a refusal |
/// | answering | the radio's confirmation that the answer is sent, or the read of a private one |
/// | readable | the read of its reply; a private question alone gets here |
/// | read | the end of the time for which a reply is kept |
///
/// Each of them can also end: the asker disconnects, the ball stops, a time limit expires.
struct AcceptedQuestion: Sendable {
    /// The characteristics over which it came, and over which its answer goes.
    enum Pair: Hashable, Sendable {
        /// Question and Answer: the answer is sent to all subscribers.
        case plain
        /// Private Question and Reply: the answer is read by its asker alone.
        case `private`(QuestionTag)
    }

    /// An event.
    enum Event: Sendable {
        /// Its turn has come.
        case turn
        /// The source or the owner has answered it.
        case answered(Answer)
        /// It is refused after all; the asker can read the reason on the private pair.
        case refused(RejectionReason, EightBallError)
        /// The radio has sent the value.
        case sent
        /// The radio has failed to send the value.
        case sendingFailed(EightBallError)
        /// Its asker has read the reply, to the last byte.
        case read
        /// It ends without an answer, or its reply is no longer kept.
        case ended(EightBallError)
    }

    /// An action.
    enum Action: Sendable {
        /// Asks the source, with a time limit.
        case think
        /// Cancels what ``think`` and ``send(_:_:_:)`` began.
        case cancel
        /// Sends a value to all subscribers; ``Event/sent`` or ``Event/sendingFailed(_:)`` follows.
        case send(Answer, AttributeID, [UInt8])
        /// The reply can be read from now on.
        case offerReply
        /// Notifies subscribers that the reply can be read; no event follows.
        case notify
        /// Starts the time limit for which the reply is kept.
        case keepReply
        /// Refuses other original askers for a while: they could take this answer for their own.
        case settle
        /// Reports an event of the ball.
        case reportSent(Answer), reportDelivered(Answer), reportFailed(EightBallError)
        /// No more actions follow.
        case end
    }

    private enum State {
        case waiting
        case thinking
        case answering(Answer)
        /// No answer: it was refused.
        case readable(Answer?)
        case read
        case ended
    }

    /// Unique among the questions of a ball.
    let id: Int
    let question: Question
    let asker: ConnectedAsker
    let pair: Pair
    /// The most bytes of one packet to the asker.
    let mtuBytes: Int
    private var state = State.waiting
    /// What its asker reads; empty until there is something.
    private(set) var reply: [UInt8] = []

    init(id: Int, question: Question, asker: ConnectedAsker, pair: Pair, mtuBytes: Int) {
        self.id = id
        self.question = question
        self.asker = asker
        self.pair = pair
        self.mtuBytes = mtuBytes
    }

    /// The tag of a private question; `nil` on the plain pair.
    var tag: QuestionTag? {
        guard case .private(let tag) = pair else { return nil }
        return tag
    }

    /// Whether its turn has not come.
    var isWaiting: Bool { if case .waiting = state { true } else { false } }

    /// Whether somebody may answer it.
    var isUnanswered: Bool {
        switch state {
        case .waiting, .thinking: true
        case .answering, .readable, .read, .ended: false
        }
    }

    /// Whether it takes a place in the queue.
    var isOpen: Bool {
        switch state {
        case .waiting, .thinking, .answering: true
        case .readable, .read, .ended: false
        }
    }

    mutating func take(_ event: Event) -> [Action] {
        switch (state, event) {
        case (.waiting, .turn):
            state = .thinking
            return [.think]
        case (.waiting, .answered(let answer)), (.thinking, .answered(let answer)):
            return send(answer)
        case (.waiting, .refused(let reason, let error)),
            (.thinking, .refused(let reason, let error)),
            (.answering, .refused(let reason, let error)):
            return refuse(reason, error)
        case (.answering(let answer), .sent):
            return sent(answer)
        case (.answering(let answer), .read) where tag != nil:
            // The read arrived before the radio's confirmation.
            state = .read
            return [.keepReply, .reportSent(answer), .reportDelivered(answer)]
        case (.readable(let answer), .read):
            state = .read
            return answer.map { [.reportDelivered($0)] } ?? []
        case (.waiting, .ended(let error)), (.thinking, .ended(let error)),
            (.answering, .ended(let error)), (.answering, .sendingFailed(let error)),
            (.readable(.some), .ended(let error)):
            return fail(error)
        case (.readable(nil), .ended), (.read, .ended):
            // Its outcome was reported.
            state = .ended
            return [.end]
        case (.waiting, _), (.thinking, _), (.answering, _), (.readable, _), (.read, _),
            (.ended, _):
            return []
        }
    }

    private mutating func send(_ answer: Answer) -> [Action] {
        state = .answering(answer)
        guard let tag else {
            let value = EightBallService.notification(answer, mtuBytes: mtuBytes)
            return [.cancel, .send(answer, EightBallService.answer, value)]
        }
        reply = Reply.outcome(tag, .answered(Array(answer.wireText.utf8))).bytes
        let value = Reply.ready(tag).bytes
        return [
            .cancel, .offerReply, .send(answer, EightBallService.reply, value),
        ]
    }

    private mutating func sent(_ answer: Answer) -> [Action] {
        guard tag != nil else {
            state = .ended
            return [.settle, .reportSent(answer), .end]
        }
        state = .readable(answer)
        return [.keepReply, .reportSent(answer)]
    }

    private mutating func refuse(_ reason: RejectionReason, _ error: EightBallError) -> [Action] {
        guard let tag else { return fail(error) }
        let limit = Answer.maximumByteCount
        let text = EightBallService.cut(reason.text ?? "", toByteCount: limit)
        let words = text.isEmpty ? reason : reason.saying(text)
        reply = Reply.outcome(tag, .rejected(words)).bytes
        state = .readable(nil)
        return [.cancel, .reportFailed(error), .offerReply, .notify, .keepReply]
    }

    private mutating func fail(_ error: EightBallError) -> [Action] {
        // A plain answer that is being sent may reach everybody all the same.
        let mayBeSent = if case .answering = state { tag == nil } else { false }
        state = .ended
        return (mayBeSent ? [.settle] : []) + [.reportFailed(error), .end]
    }
}
