internal import BLE

extension EightBallError {
    /// What it means for the game that a radio, or a peer, failed.
    ///
    /// - Parameters:
    ///   - attempt: what was tried, on what: the beginning of the message.
    ///   - stage: what was being waited for.
    ///   - cause: what came back.
    init(_ attempt: String, at stage: Stage, failedWith cause: any Error) {
        switch cause {
        case let error as EightBallError:
            self = error
        case let error as ATTError where error.meansChangedServices:
            // Its service has gone, or was published anew, and it did not tell.
            self.init(
                .deviceOffline,
                "\(attempt) failed: the ball no longer has what it had: \(error)",
                underlying: error
            )
        case let error as ATTError:
            let reason = Self.reason(error, at: stage)
            self.init(
                .rejected(reason),
                "\(attempt) was refused with \(error): \(reason)",
                underlying: error
            )
        case let error as RadioError:
            self.init(
                Self.code(error.code, at: stage),
                "\(attempt) failed: \(error.message)",
                underlying: error
            )
        case is CancellationError:
            self.init(.cancelled, "\(attempt) was cancelled", underlying: cause)
        default:
            self.init(.failed, "\(attempt) failed: \(cause)", underlying: cause)
        }
    }

    /// That no ball matched in time.
    package init(noBallWithin limit: Duration) {
        self.init(.noBallFound, "no matching ball found within \(limit.inUnits)")
    }

    /// That a time limit was reached.
    init(_ attempt: String, at stage: Stage, tookLongerThan limit: Duration) {
        self.init(.timedOut(stage), "\(attempt) took longer than \(limit.inUnits)")
    }

    /// That so many events were dropped.
    init(missed count: Int) {
        self.init(
            .overflow,
            "\(count) events were dropped: observers took too long with those before them"
        )
    }

    /// 0x0E speaks of a question mark only where a question was refused.
    private static func reason(_ error: ATTError, at stage: Stage) -> RejectionReason {
        switch stage {
        case .asking: RejectionReason(error)
        case .radio, .queued, .connecting, .resolving, .subscribing, .answering:
            error == .unlikelyError ? .peripheralError : RejectionReason(error)
        }
    }

    private static func code(_ code: RadioError.Code, at stage: Stage) -> Code {
        switch code {
        case .off: .radioOff
        case .absent: .radioAbsent
        case .noService: .noService
        case .notPermitted: .notPermitted
        case .peerGone, .unknownPeer, .connectionFailed: .deviceOffline
        case .servicesInvalidated, .missingAttribute: .deviceOffline
        case .busy, .limitReached: .radioBusy
        case .timedOut: .timedOut(stage)
        case .valueTooLong: .rejected(.tooLong)
        case .invalidAdvertisement: .invalidName
        case .overflow: .protocolViolation
        case .withdrawn: .stopped
        default: .failed
        }
    }
}
