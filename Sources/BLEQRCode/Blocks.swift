/// The blocks into which the codewords of a symbol are divided, each with an error correction of its own.
struct Blocks: Sendable {
    let count: Int
    /// How many codewords of error correction each has.
    let correctionCount: Int
    /// How many codewords all have.
    let codewordCount: Int

    init(_ version: Version, _ correction: Correction) {
        count = BlockTable.counts[correction.rawValue][version.number - 1]
        correctionCount = BlockTable.correctionCounts[correction.rawValue][version.number - 1]
        codewordCount = version.codewordCount
    }

    /// How many codewords of data all have.
    var dataCount: Int { codewordCount - count * correctionCount }

    /// The codewords in the order of the symbol: the first of each block, the second of each, and so on, the
    /// data's before those of the error correction.
    ///
    /// Source: ISO/IEC 18004:2015, 7.6.
    func codewords(of data: [UInt8]) -> [UInt8] {
        precondition(data.count == dataCount, "blocks are filled")
        let code = ReedSolomonCode(correctionCount: correctionCount)
        let blocks = divided(data)
        return Self.interleaved(blocks) + Self.interleaved(blocks.map(code.correction(of:)))
    }

    /// The last blocks have one codeword more, when they can't all be of one length.
    private func divided(_ data: [UInt8]) -> [ArraySlice<UInt8>] {
        let shortCount = count - dataCount % count
        var rest = data[...]
        return (0..<count).map { index in
            let length = dataCount / count + (index < shortCount ? 0 : 1)
            defer { rest = rest.dropFirst(length) }
            return rest.prefix(length)
        }
    }

    private static func interleaved(_ blocks: [some RandomAccessCollection<UInt8>]) -> [UInt8] {
        let length = blocks.map(\.count).max() ?? 0
        return (0..<length).flatMap { index in blocks.compactMap { $0.dropFirst(index).first } }
    }
}
