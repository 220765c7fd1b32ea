internal import ArgumentParser

extension Console {
    /// Does a command's work until it is done or interrupted, and says how it failed.
    ///
    /// - Parameters:
    ///   - limit: how long it may take to clear up when it is interrupted.
    ///   - work: what to do.
    /// - Throws: `ExitCode` with the status that tells programs how it failed.
    public func perform(
        clearingWithin limit: Duration = clearingLimit,
        _ work: @escaping @Sendable () async throws -> Void
    ) async throws {
        do {
            try await untilInterrupted(clearingWithin: limit, work)
            clearProgress()
        } catch let interruption as Interruption {
            clearProgress()
            if let limit = interruption.overdueLimit {
                failure(
                    "Bluetooth was not closed within \(limit); what is left ends with the program"
                )
            }
            throw ExitCode(interruption.exitStatus)
        } catch {
            let status = ExitStatus(error)
            event(of: error, status: status)
            let remedy = (error as? any CommandFailure)?.remedy ?? status.remedy
            failure(remedy.map { "\(error); \($0)" } ?? "\(error)")
            throw ExitCode(status.rawValue)
        }
    }

    /// Prints a failure for programs, if they are wanted.
    ///
    /// - Parameters:
    ///   - error: what failed.
    ///   - status: how the command ends of it; `nil` when it goes on.
    public func event(of error: any Error, status: ExitStatus? = nil) {
        let failure = error as? any CommandFailure
        event([
            "event": "error",
            "code": .string(failure?.codeName ?? "failed"),
            "reason": (failure?.reasonName).map { .string($0) },
            "stage": (failure?.stageName).map { .string($0) },
            "message": .string("\(error)"),
            "status": status.map { .integer(Int($0.rawValue)) },
        ])
    }
}
