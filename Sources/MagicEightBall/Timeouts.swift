/// The time limits.
///
/// All limits of the SDK stand here; they run on the clock that the SDK was made with. Those of a
/// question, in the order in which they run:
///
/// | limit | default | from | to | ``EightBallError/Stage`` |
/// |---|---|---|---|---|
/// | ``discovery`` | 10 s | the call | the discovery of a matching ball | |
/// | ``connection`` | 10 s | the request | the link | `connecting` |
/// | ``resolution`` | 10 s | the link | the ball's services | `resolving` |
/// | ``subscription`` | 2 s | the request | the ball's confirmation | `subscribing` |
/// | ``acceptance`` | 2 s | the question is written | the ball's reply: accepted or refused | `asking` |
/// | ``answer`` | 2 s | the services are known | the answer; of a ball with the private pair, its acceptance | the last |
/// | ``privateAnswer`` | 65 s | the acceptance | the answer, of a ball with the private pair | `answering` |
/// | ``question`` | 120 s | the call | the answer, the wait in the queue included | the last |
public struct Timeouts: Hashable, Sendable {
    /// How long ``AskingCentral/discoverDevice(where:)`` waits for a ball.
    public var discovery: Duration

    /// How long a discovered ball may go unseen, while balls are looked for, until it is lost; a
    /// quarter more or less, and 40 ms at least.
    ///
    /// A connected ball is not lost, and time in which a connection is made does not count: the
    /// radio receives less then.
    public var loss: Duration

    /// How long the connection may take.
    public var connection: Duration

    /// How long it may take, from the connection on, until the ball's services are known.
    public var resolution: Duration

    /// How long the ball may take to confirm the subscription to its answers.
    public var subscription: Duration

    /// How long the ball may take to accept or to refuse a question that has been written.
    public var acceptance: Duration

    /// How long a question may take once the services are known: subscribing, writing, waiting.
    ///
    /// As in the original, 2 s by default. With a ball that has the private pair it ends
    /// with the ball's acceptance; then ``privateAnswer`` begins.
    public var answer: Duration

    /// How long a ball with the private pair may take to answer a question that it has accepted.
    ///
    /// It is longer than ``thinking``, so that a ball that gives up can say so.
    public var privateAnswer: Duration

    /// How long one question may take in all, from the call to the answer.
    ///
    /// The wait for the questions before it counts, and so do all retries.
    public var question: Duration

    /// How long a link is kept after the last question, for the next one.
    ///
    /// It ends sooner when the controller has no more links and another ball is to be asked; then
    /// the one that has been idle longest is disconnected.
    public var idleLink: Duration

    /// How long an answer that came before the ball's reply to the question is held back at most.
    ///
    /// A ball notifies all askers of each answer, so it may be another asker's; then the right one comes.
    /// It is held four times as long as the ball took for its reply, where the ball replies to the
    /// write, and never longer than this.
    public var earlyAnswer: Duration

    /// How long a ball's ``AnswerSource`` may think, from a question's turn on, before it is given up.
    public var thinking: Duration

    /// How long a ball that has notified an answer takes no question of another asker.
    ///
    /// Until then the answer has reached all askers, and none takes it for the answer to its own.
    public var settling: Duration

    /// How long a ball keeps the reply to a private question for its asker to read.
    public var reply: Duration

    /// How long a ball that stops, or ends an asker's link, waits for what it has said to be read.
    public var closing: Duration

    /// How long the radio may take to begin or end a scan or a publication.
    public var radio: Duration

    /// How long is waited before the radio is tried again after a failure; 10 ms at least.
    public var retry: Duration

    /// The limits.
    ///
    /// - Parameters:
    ///   - discovery: how long to look for a ball.
    ///   - loss: how long a discovered ball may go unseen.
    ///   - connection: how long the link may take.
    ///   - resolution: how long the ball's services may take.
    ///   - subscription: how long the ball may take to confirm the subscription.
    ///   - acceptance: how long the ball may take to accept or to refuse a question.
    ///   - answer: how long a question may take once the services are known.
    ///   - privateAnswer: how long a ball with the private pair may take from then on.
    ///   - question: how long one question may take in all.
    ///   - idleLink: how long a link is kept after the last question.
    ///   - earlyAnswer: how long an answer that came before the ball's reply is held back at most.
    ///   - thinking: how long a ball's source of answers may take.
    ///   - settling: how long a ball that has notified an answer takes no question of another asker.
    ///   - reply: how long a ball keeps a reply for its asker to read.
    ///   - closing: how long a ball that stops waits for what it has said to be read.
    ///   - radio: how long the radio may take to begin or end something.
    ///   - retry: how long to wait before the radio is tried again.
    public init(
        discovery: Duration = .seconds(10),
        loss: Duration = .seconds(20),
        connection: Duration = .seconds(10),
        resolution: Duration = .seconds(10),
        subscription: Duration = .seconds(2),
        acceptance: Duration = .seconds(2),
        answer: Duration = .seconds(2),
        privateAnswer: Duration = .seconds(65),
        question: Duration = .seconds(120),
        idleLink: Duration = .seconds(30),
        earlyAnswer: Duration = .milliseconds(100),
        thinking: Duration = .seconds(60),
        settling: Duration = .milliseconds(100),
        reply: Duration = .seconds(60),
        closing: Duration = .seconds(2),
        radio: Duration = .seconds(10),
        retry: Duration = .seconds(1)
    ) {
        self.discovery = discovery
        self.loss = loss
        self.connection = connection
        self.resolution = resolution
        self.subscription = subscription
        self.acceptance = acceptance
        self.answer = answer
        self.privateAnswer = privateAnswer
        self.question = question
        self.idleLink = idleLink
        self.earlyAnswer = earlyAnswer
        self.thinking = thinking
        self.settling = settling
        self.reply = reply
        self.closing = closing
        self.radio = radio
        self.retry = retry
    }
}
