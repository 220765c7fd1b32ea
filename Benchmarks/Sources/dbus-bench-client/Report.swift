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
