/// A text in the mode in which it is shortest.
///
/// Source: ISO/IEC 18004:2015, 7.4.
struct Segment: Sendable {
    enum Mode: Int {
        /// Digits, capitals and some signs: 11 bits for two.
        case alphanumeric = 0b0010
        case bytes = 0b0100

        /// How many bits say how long the text is.
        func lengthBitCount(in version: Version) -> Int {
            switch (self, version.number) {
            case (.alphanumeric, ...9): 9
            case (.alphanumeric, ...26): 11
            case (.alphanumeric, _): 13
            case (.bytes, ...9): 8
            case (.bytes, _): 16
            }
        }
    }

    let mode: Mode
    /// Bytes, or places in the alphabet.
    private let values: [Int]

    init(_ bytes: [UInt8]) {
        let places = bytes.compactMap { Self.alphabet.firstIndex(of: $0) }
        mode = places.count == bytes.count ? .alphanumeric : .bytes
        values = mode == .alphanumeric ? places : bytes.map { Int($0) }
    }

    var byteCount: Int { values.count }

    func fits(_ version: Version, _ correction: Correction) -> Bool {
        byteCount <= maximumByteCount(version, correction)
    }

    /// How many bytes fit in this mode.
    func maximumByteCount(_ version: Version, _ correction: Correction) -> Int {
        let headerBitCount = 4 + mode.lengthBitCount(in: version)
        let bitCount = 8 * Blocks(version, correction).dataCount - headerBitCount
        return switch mode {
        case .alphanumeric: bitCount / 11 * 2 + (bitCount % 11 >= 6 ? 1 : 0)
        case .bytes: bitCount / 8
        }
    }

    /// The codewords of the data, which fill the symbol.
    func codewords(_ version: Version, _ correction: Correction) -> [UInt8] {
        precondition(fits(version, correction), "the segment fits")
        let count = Blocks(version, correction).dataCount
        var writer = BitWriter()
        writer.append(mode.rawValue, bitCount: 4)
        writer.append(values.count, bitCount: mode.lengthBitCount(in: version))
        write(to: &writer)
        // The terminator may be shorter where there is no room for it.
        writer.append(0, bitCount: min(4, 8 * count - writer.bitCount))
        let padding: [UInt8] = [0xEC, 0x11]
        return writer.bytes + (0..<count - writer.bytes.count).map { padding[$0 % 2] }
    }

    private func write(to writer: inout BitWriter) {
        switch mode {
        case .alphanumeric:
            for index in stride(from: 0, to: values.count - 1, by: 2) {
                writer.append(values[index] * 45 + values[index + 1], bitCount: 11)
            }
            guard values.count % 2 == 1, let last = values.last else { return }
            writer.append(last, bitCount: 6)
        case .bytes:
            for value in values { writer.append(value, bitCount: 8) }
        }
    }

    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)
}
