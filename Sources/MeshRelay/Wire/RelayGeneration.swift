/// Which apps can read what is sent.
///
/// The number that says what a packet is has the key `type` in the first generation of the app, and `kind` in the second;
/// each refuses the other's packets. Both are read here always, in whatever generation this end sends.
public enum RelayGeneration: String, Hashable, Sendable, CaseIterable {
    /// Versions 1.x of the app, and 2.0.0 up to build 9.
    case first
    /// Versions 2.0.0 from build 10 on.
    case second
    /// Both, for nine bytes more in each packet.
    case both

    /// How many digits a new address of it has.
    ///
    /// Source: Docs/Wire.md, dIM.
    var digits: ClosedRange<Int> { self == .first ? 100_000...999_999 : 1_000...9_999 }
}
