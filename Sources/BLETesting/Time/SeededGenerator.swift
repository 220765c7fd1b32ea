/// Random numbers that come again with the same seed.
///
/// Source: Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014 (SplitMix64).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator.
    ///
    /// - Parameter seed: decides all numbers; any value will do.
    public init(seed: UInt64) {
        state = seed
    }

    /// Returns the next number.
    ///
    /// - Returns: 64 random bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}

extension SeededGenerator {
    /// A number of a range.
    package mutating func number(in range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &self)
    }

    /// One of several; `nil` when there is none.
    package mutating func element<Elements: Collection>(of elements: Elements) -> Elements.Element?
    {
        elements.randomElement(using: &self)
    }

    /// Whether something happens that happens so often of a hundred times.
    package mutating func chance(_ percent: Int) -> Bool { number(in: 1...100) <= percent }
}
