/// The size of a symbol, and what is in it.
struct Version: Hashable, Sendable {
    static let all = (1...40).map { Version($0) }
    static let largest = Version(40)

    let number: Int

    init(_ number: Int) {
        precondition(1...40 ~= number, "versions are 1 to 40")
        self.number = number
    }

    /// How many modules a side has.
    var size: Int { 17 + 4 * number }

    /// The rows, and the columns, in which the centres of the alignment patterns are.
    var alignmentCenters: [Int] {
        guard number > 1 else { return [] }
        let distance = Self.alignmentDistances[number - 2]
        let others = stride(from: size - 7, to: 6 + distance / 2, by: -distance)
        return [6] + others.reversed()
    }

    var hasVersionInformation: Bool { number >= 7 }

    /// How many codewords fit, those of the error correction among them.
    ///
    /// There can be up to seven modules more, which stay light.
    var codewordCount: Int {
        let finders = 3 * 8 * 8
        let timing = 2 * (size - 16)
        let format = 2 * 15 + 1
        let versionInformation = hasVersionInformation ? 2 * 18 : 0
        let reserved = finders + timing + format + versionInformation + alignmentModuleCount
        return (size * size - reserved) / 8
    }

    /// The modules of alignment patterns, but those that are modules of a timing pattern, too.
    private var alignmentModuleCount: Int {
        let centers = alignmentCenters.count
        guard centers > 0 else { return 0 }
        let onTiming = 2 * (centers - 2)
        return (centers * centers - 3) * 25 - onTiming * 5
    }

    /// From one centre to the next, for version 2 and on; the first distance of all can be another one.
    ///
    /// Source: ISO/IEC 18004:2015, table E.1.
    private static let alignmentDistances = [
        12, 16, 20, 24, 28,
        16, 18, 20, 22, 24, 26, 28,
        20, 22, 24, 24, 26, 28, 28,
        22, 24, 24, 26, 26, 28, 28,
        24, 24, 26, 26, 26, 28, 28,
        24, 26, 26, 26, 28, 28,
    ]
}
