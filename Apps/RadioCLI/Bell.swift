internal import Dispatch
package import Glibc

/// Wakes who waits in `poll`.
package final class Bell: Sendable {
    /// Its two ends; ``ring()`` makes the first readable, for ever.
    package let ends: (reading: Int32, writing: Int32)

    /// A bell that has not been rung.
    ///
    /// - Throws: ``SystemFailure`` when the system has no more files.
    package init() throws { ends = try makePipe() }

    /// Rings it; any number of times, from any thread.
    package func ring() { _ = write(ends.writing, [1], 1) }

    /// Rings it when a process that this program has started ends, which is left to be waited for.
    ///
    /// - Parameter process: which.
    package func ring(whenEnds process: pid_t) {
        DispatchQueue(label: "waits for the end of a process").async { [self] in
            var information = siginfo_t()
            while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0
                && errno == EINTR
            {}
            ring()
        }
    }

    deinit { for end in [ends.reading, ends.writing] { close(end) } }
}

/// The system could not do something.
package struct SystemFailure: CommandFailure, CustomStringConvertible {
    /// What was tried, and what the system said.
    package let description: String
    private let number: Int32

    /// - Parameters:
    ///   - what: what was tried.
    ///   - number: what came back, of `errno`.
    package init(_ what: String, _ number: Int32 = errno) {
        description = "\(what): \(String(cString: strerror(number)))"
        self.number = number
    }

    /// Worth another try where the system has no more of something just now; not permitted; or our own fault.
    package var exitStatus: ExitStatus {
        switch number {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM, EAGAIN: .temporary
        case EACCES, EPERM: .notPermitted
        default: .software
        }
    }

    package var codeName: String { "failed" }
}

/// The two ends of a pipe, which no program that is started inherits.
package func makePipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [0, 0]
    guard Glibc.pipe(&ends) == 0 else { throw SystemFailure("pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
}
