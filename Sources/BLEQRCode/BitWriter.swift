/// Numbers of any number of bits, one after the other, the highest bit first.
struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private(set) var bitCount = 0

    mutating func append(_ number: Int, bitCount count: Int) {
        for bit in (0..<count).reversed() {
            if bitCount % 8 == 0 { bytes.append(0) }
            if number >> bit & 1 != 0 { bytes[bitCount / 8] |= 0x80 >> UInt8(bitCount % 8) }
            bitCount += 1
        }
    }
}
