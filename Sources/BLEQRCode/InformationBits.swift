/// The bits beside the data: a number, and a BCH code that protects it.
enum InformationBits {
    /// 15 bits: which correction and which mask; never all of one kind.
    ///
    /// Source: ISO/IEC 18004:2015, 7.9.1 and annex C.
    static func format(_ correction: Correction, _ mask: Mask) -> Int {
        let number = correction.formatBits << 3 | mask.rawValue
        return protected(number, by: 0x537, bitCount: 10) ^ 0x5412
    }

    /// 18 bits, in version 7 and on.
    ///
    /// Source: ISO/IEC 18004:2015, 7.10 and annex D.
    static func version(_ version: Version) -> Int {
        protected(version.number, by: 0x1F25, bitCount: 12)
    }

    /// The number, and after it what is left when it is divided by a polynomial over GF(2).
    private static func protected(_ number: Int, by generator: Int, bitCount: Int) -> Int {
        var remainder = number
        for _ in 0..<bitCount {
            remainder <<= 1
            if remainder >> bitCount & 1 != 0 { remainder ^= generator }
        }
        return number << bitCount | remainder
    }
}
