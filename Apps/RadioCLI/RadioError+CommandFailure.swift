public import BLE

extension RadioError: CommandFailure {
    /// Unavailable, not permitted, worth another try, or our own fault.
    public var exitStatus: ExitStatus {
        switch code {
        case .off, .absent, .noService: .unavailable
        case .notPermitted: .notPermitted
        case .busy, .limitReached, .timedOut: .temporary
        default: .software
        }
    }

    /// The name of the code.
    public var codeName: String { "\(code)" }
}
