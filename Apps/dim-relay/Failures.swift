public import BLEStorage
public import MeshRelay
public import RadioCLI

extension RelayError: CommandFailure {
    /// Wrong data, not found, unavailable, worth another try, or our own fault.
    public var exitStatus: ExitStatus {
        switch code {
        case .empty, .tooLong, .invalidKey, .invalidLink, .invalidAddress, .keyChanged: .data
        case .invalidName: .usage
        case .unknownContact, .unknownMessage: .notFound
        case .bluetoothOff, .bluetoothAbsent, .notReady: .unavailable
        case .failed, .missed: .software
        default: .temporary
        }
    }

    /// The name of the code, such as `tooLong`.
    public var codeName: String { "\(code)" }

    /// What somebody at the shell can do.
    public var remedy: String? {
        switch code {
        case .unknownContact: "see 'dim-relay contacts'"
        case .unknownMessage: "see 'dim-relay messages NAME --numbers'"
        case .keyChanged: "then add the link with --replace"
        case .invalidName: nil
        // What was not acknowledged waits.
        case .timedOut: nil
        default: exitStatus.remedy
        }
    }
}

extension StoreError: CommandFailure {
    /// Wrong data, worth another try, not permitted, or our own fault.
    public var exitStatus: ExitStatus {
        switch code {
        case .damaged, .newer, .notAStore, .invalid: .data
        case .inUse: .temporary
        case .full: .cannotCreate
        case .notPermitted: .notPermitted
        default: .software
        }
    }

    /// The name of the code, such as `inUse`.
    public var codeName: String { "\(code)" }

    /// What somebody at the shell can do.
    public var remedy: String? {
        switch code {
        case .inUse: "end the other dim-relay, or name another folder with --store"
        default: exitStatus.remedy
        }
    }
}
