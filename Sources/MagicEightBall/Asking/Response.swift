/// What came of a question that several balls were asked, from one of them.
public struct Response: Sendable {
    /// The ball.
    public let device: any PeripheralDevice

    /// Its answer, or why there is none: an ``EightBallError``, or a `CancellationError`.
    public let result: Result<Answer, any Error>

    /// What came of a question.
    ///
    /// - Parameters:
    ///   - device: the ball.
    ///   - result: its answer, or why there is none.
    public init(device: any PeripheralDevice, result: Result<Answer, any Error>) {
        self.device = device
        self.result = result
    }
}
