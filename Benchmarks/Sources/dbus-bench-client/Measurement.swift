import Glibc

/// Times as `bench.h` takes them, in nanoseconds.
enum Clock {
    /// Time on the wall.
    static var wall: UInt64 { now(CLOCK_MONOTONIC) }

    /// CPU time of all threads of this process, user and system.
    static var cpu: UInt64 { now(CLOCK_PROCESS_CPUTIME_ID) }

    private static func now(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// Wall and CPU time from one moment on.
struct Stopwatch {
    private let wallStart = Clock.wall
    private let cpuStart = Clock.cpu

    var wall: UInt64 { Clock.wall - wallStart }
    var cpu: UInt64 { Clock.cpu - cpuStart }
}

/// What a run measured; its text is the JSON line that the C clients print, without their memory
/// figures.
struct Report: CustomStringConvertible {
    let mode: String
    /// How many calls, signals or devices.
    let count: Int
    let wall: UInt64
    let cpu: UInt64
    /// How long half of the calls took at most.
    var median: UInt64 = 0
    /// How many properties a tree had.
    var properties = 0
    /// What was read, summed up as the C clients do: equal sums mean equal work.
    let check: Int

    var description: String {
        """
        {"lib":"swift","mode":"\(mode)","n":\(count),"wall_ns":\(wall),"cpu_ns":\(cpu),\
        "p50_ns":\(median),"props":\(properties),"check":\(check)}
        """
    }
}

extension [UInt64] {
    /// The median, as `bench.h` picks it.
    var median: UInt64 { isEmpty ? 0 : sorted()[(count - 1) / 2] }
}
