import Measuring

/// What asking took; its text is the JSON line of asking.h, and how many answers each ball gave.
struct AskingReport: CustomStringConvertible {
    let wall: UInt64
    let cpu: UInt64
    let switches: Int
    /// Of each ball.
    let latencies: [[UInt64]]

    var description: String {
        let all = latencies.joined().map { "\($0)" }.joined(separator: ",")
        let shares = latencies.map { "\($0.count)" }.joined(separator: ",")
        return """
            {"wall_ns":\(wall),"cpu_ns":\(cpu),"switches":\(switches),\
            "rss_kb":\(peakResidentKilobytes()),"shares":[\(shares)],"latencies_ns":[\(all)]}
            """
    }
}
