/// How much of a symbol may be damaged or hidden and is read all the same.
///
/// Source: ISO/IEC 18004:2015, 7.5.1.
package enum Correction: Int, Sendable, CaseIterable {
    /// About 7 % of the codewords.
    case low
    /// About 15 %.
    case medium
    /// About 25 %.
    case quartile
    /// About 30 %.
    case high

    /// The two bits that say it in the format information.
    var formatBits: Int {
        switch self {
        case .low: 0b01
        case .medium: 0b00
        case .quartile: 0b11
        case .high: 0b10
        }
    }
}
