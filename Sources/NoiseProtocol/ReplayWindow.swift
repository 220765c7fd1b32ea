/// Which of the latest counters have come.
///
/// Source: RFC 6479, with bits cleared one by one.
struct ReplayWindow: Sendable {
    /// How many counters are remembered: the highest, and those next below it.
    static let bitCount = 1024

    private var words = [UInt64](repeating: 0, count: bitCount / 64)
    private var highest: UInt64?

    /// - Throws: ``NoiseError`` with ``NoiseError/Code/replayed`` or ``NoiseError/Code/tooOld``.
    func check(_ counter: UInt64) throws(NoiseError) {
        guard let highest, counter <= highest else { return }
        guard highest - counter < UInt64(Self.bitCount) else {
            throw NoiseError(.tooOld, "message \(counter) comes after \(highest)")
        }
        let (word, bit) = Self.place(counter)
        guard words[word] & bit == 0 else {
            throw NoiseError(.replayed, "message \(counter) came before")
        }
    }

    /// - Parameter counter: one that ``check(_:)`` took, of a message that was authenticated since.
    mutating func insert(_ counter: UInt64) {
        if let highest, counter > highest {
            // The places between them were those of counters that are too old now.
            let skipped = min(counter - highest, UInt64(Self.bitCount))
            for offset in 0..<skipped {
                let (word, bit) = Self.place(counter - offset)
                words[word] &= ~bit
            }
        }
        highest = max(highest ?? counter, counter)
        let (word, bit) = Self.place(counter)
        words[word] |= bit
    }

    private static func place(_ counter: UInt64) -> (word: Int, bit: UInt64) {
        let index = Int(counter % UInt64(bitCount))
        return (index / 64, 1 << UInt64(index % 64))
    }
}
