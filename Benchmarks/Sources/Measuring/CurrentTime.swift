internal import Glibc

/// Times as `bench.h` takes them, in nanoseconds.
package enum CurrentTime {
    /// Time on the wall.
    package static var wall: UInt64 { now(CLOCK_MONOTONIC) }

    /// CPU time of all threads of this process, user and system.
    package static var cpu: UInt64 { now(CLOCK_PROCESS_CPUTIME_ID) }

    private static func now(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
