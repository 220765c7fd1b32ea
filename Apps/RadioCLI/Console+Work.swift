internal import ArgumentParser
internal import BLE
internal import Glibc

extension Console {
    /// Does a command's work until it is done or interrupted, and says how it failed.
    ///
    /// Work whose results cannot be written on standard output is cancelled, clears up, and has failed.
    ///
    /// - Parameters:
    ///   - limit: how long it may take to clear up when it is interrupted; `nil` for work that leaves nothing behind: a signal
    ///     ends the process at once.
    ///   - work: what to do.
    /// - Throws: `ExitCode` with the status that tells programs how it failed.
    public func perform(
        clearingWithin limit: Duration? = clearingLimit,
        _ work: @escaping @Sendable () async throws -> Void
    ) async throws {
        // Who reads no more is an error here, and not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        Self.openClosedFiles()
        do {
            if let limit {
                try await untilInterrupted(clearingWithin: limit) { try await whileWritable(work) }
            } else {
                try await whileWritable(work)
            }
            clearProgress()
        } catch let interruption as Interruption {
            clearProgress()
            if let limit = interruption.overdueLimit {
                let message =
                    "Bluetooth was not closed within \(limit); what is left ends with the program"
                // Not on standard output, which may be what all waits for.
                if hasEventsOnStandardError {
                    event(["event": "error", "code": "timedOut", "message": .string(message)])
                } else {
                    failure(message)
                }
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

    /// Does something; cancels it when standard output cannot be written.
    private func whileWritable(_ work: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await output.wait() }
            group.addTask {
                try await work()
                output.fulfil()
            }
            while try await group.next() != nil {}
        }
    }

    /// Opens what this program was started without, so that it cannot be written: what is opened next would have its
    /// number, and get what is printed.
    private static func openClosedFiles() {
        for file in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(file, F_GETFD) < 0 {
            _ = open("/dev/null", O_RDONLY)
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
