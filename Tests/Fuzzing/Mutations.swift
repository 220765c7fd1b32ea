import BLETesting

/// Inputs that are made from others, always the same ones: bytes changed, taken out, put in, doubled.
struct Mutations {
    private static let maximumByteCount = 4096

    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func mutation(of inputs: [[UInt8]]) -> [UInt8] {
        var input = inputs.isEmpty ? [] : inputs[number(below: inputs.count)]
        for _ in 0...number(below: 4) { change(&input, inputs) }
        return Array(input.prefix(Self.maximumByteCount))
    }

    private mutating func change(_ input: inout [UInt8], _ inputs: [[UInt8]]) {
        let place = number(below: input.count + 1)
        let count = min(number(below: 8) + 1, input.count - place)
        switch number(below: 7) {
        case 0 where place < input.count: input[place] = UInt8(number(below: 256))
        case 1 where place < input.count: input[place] ^= 1 << number(below: 8)
        case 2: input.removeSubrange(place..<place + count)
        case 3: input.insert(UInt8(number(below: 256)), at: place)
        case 4: input.insert(contentsOf: input[place..<place + count], at: place)
        case 5: input = Array(input.prefix(place))
        case 6 where !inputs.isEmpty:
            let other = inputs[number(below: inputs.count)]
            input.replaceSubrange(place..., with: other.suffix(number(below: other.count + 1)))
        default: input.append(interesting())
        }
    }

    private mutating func interesting() -> UInt8 {
        [0, 1, 0x1B, 0x7F, 0x80, 0xC0, 0xED, 0xFF][number(below: 8)]
    }

    private mutating func number(below limit: Int) -> Int {
        Int(generator.next() % UInt64(limit))
    }
}
