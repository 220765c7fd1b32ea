/// The outcome of a question that several balls were asked, at one of them.
public struct Response: Sendable {
    /// The ball.
    public let device: any BallDevice

    /// Its answer, or why there is none: an ``EightBallError``, or a `CancellationError`.
    public let result: Result<Answer, any Error>

    /// The outcome of a question.
    ///
    /// - Parameters:
    ///   - device: the ball.
    ///   - result: its answer, or why there is none.
    public init(device: any BallDevice, result: Result<Answer, any Error>) {
        self.device = device
        self.result = result
    }
}
