/// The error correction of a block: what is left when its data is divided by a polynomial over GF(2⁸).
///
/// A polynomial is its coefficients, that of the highest power first.
///
/// Source: ISO/IEC 18004:2015, 7.5.2 and annex A.
struct ReedSolomonCode: Sendable {
    /// The product of (x - 2ⁱ) for each i below the number of codewords, without its first coefficient, 1.
    private let generator: [UInt8]

    init(correctionCount: Int) {
        var generator: [UInt8] = [1]
        var root: UInt8 = 1
        for _ in 0..<correctionCount {
            let product = generator.map { Self.product($0, root) }
            generator = zip(generator + [0], [0] + product).map { $0 ^ $1 }
            root = Self.product(root, 2)
        }
        self.generator = Array(generator.dropFirst())
    }

    func correction(of data: some Sequence<UInt8>) -> [UInt8] {
        var remainder = [UInt8](repeating: 0, count: generator.count)
        for codeword in data {
            let factor = codeword ^ remainder.removeFirst()
            remainder.append(0)
            for (index, coefficient) in generator.enumerated() {
                remainder[index] ^= Self.product(coefficient, factor)
            }
        }
        return remainder
    }

    /// The product of two elements of the field, modulo x⁸ + x⁴ + x³ + x² + 1.
    private static func product(_ one: UInt8, _ other: UInt8) -> UInt8 {
        var product: UInt16 = 0
        for bit in (0..<8).reversed() {
            product <<= 1
            if product & 0x100 != 0 { product ^= 0x11D }
            if other >> bit & 1 != 0 { product ^= UInt16(one) }
        }
        return UInt8(product)
    }
}
