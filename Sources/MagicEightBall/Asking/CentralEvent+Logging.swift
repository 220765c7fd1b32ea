internal import Logging

extension CentralEvent {
    /// Writes the event to a log; what is asked and answered is not in it.
    func log(to logger: Logger) {
        switch self {
        case .radioBecame(let state):
            logger.notice("the radio is \(state)")
        case .discovered(let ball):
            logger.notice("a ball was discovered", metadata: metadata(ball))
        case .changed:
            // Strengths change all the time.
            break
        case .lost(let ball):
            logger.notice("a ball was lost", metadata: metadata(ball))
        case .connected(let ball):
            logger.notice("connected to a ball", metadata: metadata(ball))
        case .disconnected(let ball, let error):
            logger.notice("disconnected from a ball", metadata: metadata(ball, error: error))
        case .asked(_, let ball):
            logger.debug("a question was accepted", metadata: metadata(ball))
        case .answered(_, _, let ball):
            logger.debug("a question was answered", metadata: metadata(ball))
        case .failedToAsk(_, let ball, let error):
            let metadata = metadata(ball, error: error)
            logger.info("a question ended without an answer", metadata: metadata)
        case .failed(let error):
            // A radio that was closed ends the role: a state, not a failure of it.
            let level: Logger.Level = error.code == .stopped ? .notice : .warning
            logger.log(level: level, "\(error)", metadata: ["code": "\(error.code)"])
        }
    }

    private func metadata(
        _ ball: any BallDevice,
        error: EightBallError? = nil
    ) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["ball": "\(ball.name)", "peer": "\(ball.id)"]
        if let error { metadata["code"] = "\(error.code)" }
        return metadata
    }
}
