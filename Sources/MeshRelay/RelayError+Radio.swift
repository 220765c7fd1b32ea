internal import BLE

extension RelayError {
    /// What an error of the radio means for what was tried.
    init(_ attempt: String, failedWith cause: any Error) {
        if let error = cause as? RelayError {
            self = error
            return
        }
        self.init(Code(cause), "\(attempt) failed", underlying: cause)
    }
}

extension RelayError.Code {
    fileprivate init(_ cause: any Error) {
        guard let cause = cause as? RadioError else {
            self = .failed
            return
        }
        switch cause.code {
        case .off: self = .bluetoothOff
        case .absent, .noService, .notPermitted: self = .bluetoothAbsent
        // Who takes a service back has been a node, and may be one again at once.
        case .peerGone, .connectionFailed, .unknownPeer, .servicesInvalidated:
            self = .connectionFailed
        case .missingAttribute, .unsupported: self = .notANode
        case .timedOut: self = .timedOut
        case .busy, .limitReached: self = .busy
        case .invalidAdvertisement: self = .invalidName
        default: self = .failed
        }
    }
}
