internal import Logging

extension PeripheralEvent {
    /// Writes the event to a log; what is asked and answered is not in it.
    func log(to logger: Logger) {
        switch self {
        case .radioBecame(let state):
            logger.notice("the radio is \(state)")
        case .startedAdvertising:
            logger.notice("advertising")
        case .stoppedAdvertising(let error):
            logger.notice("no longer advertising", metadata: metadata(error: error))
        case .connected(let asker):
            logger.notice("an asker connected", metadata: metadata(asker))
        case .disconnected(let asker):
            logger.notice("an asker disconnected", metadata: metadata(asker))
        case .received(_, let asker):
            logger.debug("a question was accepted", metadata: metadata(asker))
        case .queued(_, let asker, let place):
            logger.debug("the question is number \(place) to wait", metadata: metadata(asker))
        case .rejectedQuestion(let asker, let reason):
            logger.info("a question was refused: \(reason)", metadata: metadata(asker))
        case .sent(_, _, let asker):
            logger.debug("an answer was sent", metadata: metadata(asker))
        case .delivered(_, _, let asker):
            logger.debug("an answer was read", metadata: metadata(asker))
        case .failedToAnswer(_, let asker, let error):
            let metadata = metadata(asker, error: error)
            logger.info("a question ended without an answer", metadata: metadata)
        case .failed(let error):
            // A radio that was closed ends the role: a state, not a failure of it.
            let level: Logger.Level = error.code == .stopped ? .notice : .warning
            logger.log(level: level, "\(error)", metadata: ["code": "\(error.code)"])
        }
    }

    private func metadata(
        _ asker: (any AskerDevice)? = nil,
        error: EightBallError? = nil
    ) -> Logger.Metadata {
        var metadata: Logger.Metadata = [:]
        if let asker { metadata["peer"] = "\(asker.id)" }
        if let error { metadata["code"] = "\(error.code)" }
        return metadata
    }
}
