/// A ball whose observers' events are kept, in the words of `eightball-answer --json`.
///
/// It answers at once, but for a question that begins with ``slowly``: that one waits for
/// ``letAnswer()``.
protocol RecordedBall: Sendable {
    var told: Chronicle { get }

    /// Lets the questions be answered that wait, and all that come.
    func letAnswer() async

    func stop() async
}

/// How a question begins whose answer is held back.
let slowly = "Slowly, is it"

/// How a question begins whose answer comes a little later.
let lately = "Lately, is it"
