import BLETesting

/// What a seed decides.
struct Dice {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func number(in range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &generator)
    }

    mutating func element<Elements: Collection>(of elements: Elements) -> Elements.Element? {
        elements.randomElement(using: &generator)
    }

    /// Whether something happens that happens so often of a hundred times.
    mutating func chance(_ percent: Int) -> Bool { number(in: 1...100) <= percent }
}
