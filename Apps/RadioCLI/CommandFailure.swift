/// An error that says itself how a command ends of it, and what programs are told.
public protocol CommandFailure: Error {
    /// How the command ends.
    var exitStatus: ExitStatus { get }
    /// The name of what went wrong, such as `timedOut`.
    var codeName: String { get }
    /// Why the other end refused; `nil` for anything else.
    var reasonName: String? { get }
    /// What took too long; `nil` for anything else.
    var stageName: String? { get }
    /// What to do about it; `nil` where the error says so itself.
    var remedy: String? { get }
}

extension CommandFailure {
    /// None.
    public var reasonName: String? { nil }
    /// None.
    public var stageName: String? { nil }
    /// That of the status.
    public var remedy: String? { exitStatus.remedy }
}
