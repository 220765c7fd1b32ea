/// Writes that had no room, and of which no central is told, counted where they are missing among the others.
package struct LostWrites: Sendable {
    private struct Source: Hashable {
        let central: PeerID
        let characteristic: AttributeID
    }

    private struct Gap {
        let source: Source
        var count = 1
    }

    /// Those that the responder has not been told of, by their numbers.
    private var gaps: [Int: Gap] = [:]
    /// The gap in which the next lost write of a source counts.
    private var open: [Source: Int] = [:]
    private var lastNumber = 0

    package init() {}

    /// A write was lost.
    ///
    /// - Returns: the number of a gap that begins with it, to be reported in its turn; `nil` when it counts in one that waits.
    package mutating func lose(_ characteristic: AttributeID, from central: PeerID) -> Int? {
        let source = Source(central: central, characteristic: characteristic)
        if let number = open[source], gaps[number] != nil {
            gaps[number]?.count += 1
            return nil
        }
        lastNumber += 1
        gaps[lastNumber] = Gap(source: source)
        open[source] = lastNumber
        return lastNumber
    }

    /// A write was accepted: what is lost from now on is missing after it.
    package mutating func didAccept(_ characteristic: AttributeID, from central: PeerID) {
        open[Source(central: central, characteristic: characteristic)] = nil
    }

    /// A gap's turn has come.
    ///
    /// - Returns: what to tell the responder.
    package mutating func take(_ number: Int) -> PublicationEvent? {
        guard let gap = gaps.removeValue(forKey: number) else { return nil }
        if open[gap.source] == number { open[gap.source] = nil }
        return .lostWrites(gap.count, to: gap.source.characteristic, from: gap.source.central)
    }
}
