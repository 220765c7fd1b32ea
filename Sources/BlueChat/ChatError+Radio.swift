internal import BLE

extension ChatError {
    /// What an error of the radio means for what was tried.
    init(_ attempt: String, failedWith cause: any Error) {
        if let error = cause as? ChatError {
            self = error
            return
        }
        self.init(Code(cause), "\(attempt) failed", underlying: cause)
    }
}

extension ChatError.Code {
    fileprivate init(_ cause: any Error) {
        guard let cause = cause as? RadioError else {
            self = cause is ATTError ? .refused : .failed
            return
        }
        switch cause.code {
        case .off: self = .bluetoothOff
        case .absent, .noService, .notPermitted: self = .bluetoothAbsent
        case .unknownPeer: self = .notFound
        case .peerGone, .connectionFailed: self = .connectionFailed
        case .servicesInvalidated, .missingAttribute, .unsupported: self = .notAChatter
        case .timedOut: self = .timedOut
        case .valueTooLong: self = .tooLong
        case .busy, .limitReached: self = .busy
        case .invalidAdvertisement: self = .invalidName
        default: self = .failed
        }
    }
}
