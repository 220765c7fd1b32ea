import BLETesting

extension SeededGenerator {
    /// Up to 200 bytes, and now and then as many as a message may have, or some more.
    mutating func bytes() -> [UInt8] {
        let isLong = UInt8.random(in: 0...255, using: &self) == 0
        let count = Int.random(in: isLong ? 65_500...65_570 : 0...200, using: &self)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
