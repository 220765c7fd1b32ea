/// A colour of the terminal's palette of 256.
///
/// The first 16 look as the user has chosen.
public struct Color: Hashable, Sendable, RawRepresentable {
    /// Its number in the palette.
    public let rawValue: UInt8

    /// Creates a colour from its number.
    ///
    /// - Parameter rawValue: its number in the palette.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Black.
    public static let black = Color(rawValue: 0)
    /// Red.
    public static let red = Color(rawValue: 1)
    /// Green.
    public static let green = Color(rawValue: 2)
    /// Yellow.
    public static let yellow = Color(rawValue: 3)
    /// Blue.
    public static let blue = Color(rawValue: 4)
    /// Magenta.
    public static let magenta = Color(rawValue: 5)
    /// Cyan.
    public static let cyan = Color(rawValue: 6)
    /// White.
    public static let white = Color(rawValue: 7)
    /// The bright black: a grey.
    public static let gray = Color(rawValue: 8)

    /// The parameter of SGR that selects it.
    ///
    /// Source: ECMA-48, 8.3.117; for 38 and 48 ISO 8613-6.
    func parameter(isBackground: Bool) -> String {
        let base = isBackground ? 40 : 30
        return switch rawValue {
        case 0..<8: "\(base + Int(rawValue))"
        case 8..<16: "\(base + 60 + Int(rawValue) - 8)"
        default: "\(base + 8);5;\(rawValue)"
        }
    }
}
