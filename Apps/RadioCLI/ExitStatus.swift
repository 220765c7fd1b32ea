/// How a command ends, as sysexits.h has it.
public enum ExitStatus: Int32, Sendable {
    /// The command line is wrong.
    case usage = 64
    /// What was to be sent cannot be, or what came is not what it should be.
    case data = 65
    /// A file cannot be read.
    case noInput = 66
    /// The other end was not found.
    case notFound = 68
    /// There is no radio, no such radio, or no Bluetooth service.
    case unavailable = 69
    /// Our own fault.
    case software = 70
    /// A file cannot be written.
    case cannotCreate = 73
    /// Busy, gone or too slow: worth another try.
    case temporary = 75
    /// The other end broke the protocol.
    case `protocol` = 76
    /// The system does not allow it.
    case notPermitted = 77

    /// How a command ends that failed.
    ///
    /// - Parameter error: what it failed with.
    public init(_ error: any Error) {
        self = (error as? any CommandFailure)?.exitStatus ?? .software
    }

    /// What to do about it; `nil` where each error says so itself.
    public var remedy: String? {
        switch self {
        case .usage: "see --help"
        case .software: "please report it, with the output of --verbose"
        case .temporary: "try again"
        case .data, .noInput, .notFound, .unavailable, .cannotCreate, .protocol, .notPermitted: nil
        }
    }
}
