/// Random numbers that a seed decides: SplitMix64.
struct Seed: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: Int) {
        state = UInt64(seed)
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// Characters of all widths, and what joins with its neighbours.
    static let characters = [
        "a", "b", "Z", "7", " ", " ", "-", "é", "e\u{301}", "\u{301}", "漢", "字", "한", "ᄀ", "ᅡ", "👋",
        "👋🏽",
        "🏽", "👩‍👩‍👧", "👩\u{200D}", "🇩", "🇪", "🇩🇪", "❤️", "1️⃣", "क", "्", "ก", "ำ", "ｱ", "ﾞ", "؀", "ß", "→",
    ]

    /// A text of some characters.
    mutating func text(_ count: ClosedRange<Int>, of characters: [String] = Seed.characters)
        -> String
    {
        (0..<Int.random(in: count, using: &self)).reduce(into: "") { text, _ in
            text += characters.randomElement(using: &self) ?? ""
        }
    }
}
