public import BLESocket
public import RadioCLI

extension SocketError: CommandFailure {
    /// Not found, unavailable, worth another try, the protocol's, or our own fault.
    public var exitStatus: ExitStatus {
        switch code {
        case .notFound: .notFound
        case .bluetoothOff, .bluetoothAbsent: .unavailable
        case .timedOut, .lostConnection, .notConnected, .refused, .full, .busy: .temporary
        case .malformedData, .invalidHandshake: .protocol
        case .notPermitted: .notPermitted
        case .tooLong: .data
        default: .software
        }
    }

    /// The name of the code, such as `timedOut`.
    public var codeName: String { "\(code)" }

    /// What somebody at the shell can do.
    public var remedy: String? {
        if code == .full {
            return "raw bytes have no flow control; use --transport stream, or send more slowly"
        }
        return switch exitStatus {
        case .notFound: "start 'ble-socket listen' there, or bring it nearer"
        case .protocol: "the two ends do not speak the same; see --transport and --uuid"
        default: exitStatus.remedy
        }
    }
}

extension CommandFailure {
    /// Whether it ends one connection, and not what is done with the next one.
    var isOtherEnds: Bool {
        if self is SocketError { return true }
        return switch exitStatus {
        case .data, .protocol, .temporary: self is SocketCommandFailure
        default: false
        }
    }
}

/// What this tool itself finds wrong.
struct SocketCommandFailure: CommandFailure, CustomStringConvertible {
    let exitStatus: ExitStatus
    let codeName: String
    let description: String
    var remedy: String? { nil }

    init(_ exitStatus: ExitStatus, _ codeName: String, _ description: String) {
        self.exitStatus = exitStatus
        self.codeName = codeName
        self.description = description
    }
}
