import Glibc

/// What may not grow, and how far what may does.
struct Bounds {
    /// Of memory, from the second tenth to the end.
    static let growth = 0.05

    /// What memory may vary by, however little of it there is: 6 bytes for each of 80,000 questions.
    static let slackKilobytes = 512

    /// The growth of memory in a soak of fewer questions than memory takes to settle.
    static let growthOfShort = 0.25

    /// By how many questions memory has settled at the second tenth.
    static let settledQuestions = 5000

    /// Looks at what has grown too far.
    ///
    /// - Parameter readings: one at the start, one at each tenth, and one after everything was closed.
    /// - Returns: what has; empty when all is well.
    static func violations(_ readings: [Reading]) -> [String] {
        guard readings.count == 12 else { return ["there are \(readings.count) readings, not 12"] }
        let (start, warm, end, closed) = (readings[0], readings[2], readings[10], readings[11])
        let growth = warm.questions < settledQuestions ? growthOfShort : growth
        var violations: [String] = []
        for (name, value) in [
            ("RSS", \Reading.residentKilobytes), ("heap", \.heapKilobytes), ("bus", \.busKilobytes),
        ] as [(String, KeyPath<Reading, Int>)] {
            let allowed = max(Double(warm[keyPath: value]) * growth, Double(slackKilobytes))
            if Double(end[keyPath: value] - warm[keyPath: value]) > allowed {
                violations.append(
                    "\(name) grew from \(warm[keyPath: value]) KB at \(warm.moment) to "
                        + "\(end[keyPath: value]) KB, by more than \(Int(growth * 100)) %"
                )
            }
        }
        for (name, value) in [
            ("descriptors", \Reading.descriptors), ("match rules", \.matchRules),
            ("adapters", \.adapters), ("bluetoothds", \.daemons),
            ("publications", \.publications), ("links", \.links), ("timers", \.timers),
        ] as [(String, KeyPath<Reading, Int>)] {
            for reading in readings[1...10]
            where reading[keyPath: value] != start[keyPath: value] {
                violations.append(
                    "\(name): \(start[keyPath: value]) at the start, "
                        + "\(reading[keyPath: value]) at \(reading.moment)"
                )
            }
        }
        // Those of the pool come and go, as many as there are processors.
        let threads = start.threads + sysconf(Int32(_SC_NPROCESSORS_ONLN))
        if end.threads > threads {
            violations.append("threads grew from \(start.threads) to \(end.threads)")
        }
        for (name, count) in [
            ("adapters", closed.adapters), ("bluetoothds", closed.daemons),
            ("publications", closed.publications), ("links", closed.links),
            ("timers", closed.timers),
        ] where count != 0 {
            violations.append("\(count) \(name) are left when all is closed")
        }
        return violations
    }
}
