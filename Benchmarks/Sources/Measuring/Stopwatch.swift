internal import Glibc

/// What a process takes from one moment on.
package struct Stopwatch {
    private let wallStart = CurrentTime.wall
    private let cpuStart = CurrentTime.cpu
    private let switchStart = Self.switches

    /// Starts it.
    package init() {}

    /// Time on the wall, in nanoseconds.
    package var wall: UInt64 { CurrentTime.wall - wallStart }

    /// CPU time, in nanoseconds.
    package var cpu: UInt64 { CurrentTime.cpu - cpuStart }

    /// Context switches of all threads.
    package var switches: Int { Self.switches - switchStart }

    private static var switches: Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_nvcsw + usage.ru_nivcsw
    }
}
