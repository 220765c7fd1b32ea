/// How long is waited for what.
///
/// All limits of the SDK stand here; they run on the clock that the SDK was made with.
public struct Timeouts: Hashable, Sendable {
    /// How long ``Central/discoverDevice(where:)`` looks for a ball.
    public var discovery: Duration

    /// How long connecting may take, services included.
    public var connection: Duration

    /// How long a question may take, from the link to the answer: subscribing, writing, waiting.
    public var answer: Duration

    /// How long an answer that came before the ball's reply to the question is held back.
    ///
    /// A ball tells all askers each answer, so it may be another asker's; then the right one comes.
    public var doubt: Duration

    /// How long a ball's ``AnswerSource`` may think, from a question's turn on, before it is given up.
    public var thinking: Duration

    /// How long a ball that has told an answer takes no question of another asker.
    ///
    /// Until then the answer has reached everybody, and is taken by nobody for another one.
    public var settling: Duration

    /// How long a ball keeps the reply to an inquiry for its asker to read.
    public var reply: Duration

    /// How long the radio may take to begin or end a scan or a publication.
    public var radio: Duration

    /// How long is waited before the radio is tried again after a failure.
    public var retry: Duration

    /// The limits.
    ///
    /// - Parameters:
    ///   - discovery: how long to look for a ball.
    ///   - connection: how long connecting may take.
    ///   - answer: how long a question may take, from the link to the answer.
    ///   - doubt: how long an answer that came before the ball's reply is held back.
    ///   - thinking: how long a ball's source of answers may take.
    ///   - settling: how long a ball that has told an answer takes no question of another asker.
    ///   - reply: how long a ball keeps a reply for its asker to read.
    ///   - radio: how long the radio may take to begin or end something.
    ///   - retry: how long to wait before the radio is tried again.
    public init(
        discovery: Duration = .seconds(10),
        connection: Duration = .seconds(10),
        answer: Duration = .seconds(2),
        doubt: Duration = .milliseconds(100),
        thinking: Duration = .seconds(60),
        settling: Duration = .milliseconds(100),
        reply: Duration = .seconds(60),
        radio: Duration = .seconds(10),
        retry: Duration = .seconds(1)
    ) {
        self.discovery = discovery
        self.connection = connection
        self.answer = answer
        self.doubt = doubt
        self.thinking = thinking
        self.settling = settling
        self.reply = reply
        self.radio = radio
        self.retry = retry
    }
}
