/// How a cell looks.
public struct Style: Hashable, Sendable {
    /// What is beside the colours.
    public struct Attributes: OptionSet, Hashable, Sendable {
        /// A bit for each.
        public let rawValue: UInt8

        /// Creates a set from its bits.
        ///
        /// - Parameter rawValue: a bit for each.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Bold.
        public static let bold = Attributes(rawValue: 1)
        /// Dim.
        public static let dim = Attributes(rawValue: 2)
        /// Underlined.
        public static let underlined = Attributes(rawValue: 4)
        /// With the two colours in each other's place.
        public static let reversed = Attributes(rawValue: 8)
    }

    /// The colour of the text; `nil` for the terminal's own.
    public var color: Color?
    /// The colour behind the text; `nil` for the terminal's own.
    public var background: Color?
    /// What is beside the colours.
    public var attributes: Attributes
    /// Where a click leads, as ``WebLink/target``.
    public var link: String?

    /// Creates a style.
    ///
    /// - Parameters:
    ///   - color: the colour of the text; `nil` for the terminal's own.
    ///   - background: the colour behind the text; `nil` for the terminal's own.
    ///   - attributes: what is beside the colours.
    ///   - link: where a click leads.
    public init(
        _ color: Color? = nil,
        background: Color? = nil,
        _ attributes: Attributes = [],
        link: String? = nil
    ) {
        self.color = color
        self.background = background
        self.attributes = attributes
        self.link = link
    }

    /// Text as the terminal shows it by itself.
    public static let plain = Style()

    /// The parameters of SGR that make it of the plain style.
    private var parameters: [String] {
        var parameters = Self.codes.filter { attributes.contains($0.attribute) }.map(\.on)
        if let color { parameters.append(color.parameter(isBackground: false)) }
        if let background { parameters.append(background.parameter(isBackground: true)) }
        return parameters
    }

    /// The shortest sequence that makes it of another style; links apart.
    func sequence(from old: Style) -> String {
        if (color, background) == (old.color, old.background), attributes == old.attributes {
            return ""
        }
        let parameters = parameters
        if parameters.isEmpty { return "\u{1B}[m" }
        let anew = "\u{1B}[0;" + parameters.joined(separator: ";") + "m"
        let changed = "\u{1B}[" + changes(from: old).joined(separator: ";") + "m"
        return changed.utf8.count <= anew.utf8.count ? changed : anew
    }

    /// The parameters for what is not as in another style.
    private func changes(from old: Style) -> [String] {
        var parameters: [String] = []
        var kept = old.attributes
        // One parameter takes back both bold and dim.
        for (attribute, _, off) in Self.codes
        where kept.contains(attribute) && !attributes.contains(attribute) {
            parameters.append(off)
            kept.subtract(off == "22" ? [.bold, .dim] : attribute)
        }
        for (attribute, on, _) in Self.codes
        where attributes.contains(attribute) && !kept.contains(attribute) {
            parameters.append(on)
        }
        if color != old.color {
            parameters.append(color?.parameter(isBackground: false) ?? "39")
        }
        if background != old.background {
            parameters.append(background?.parameter(isBackground: true) ?? "49")
        }
        return parameters
    }

    /// Source: ECMA-48, 8.3.117.
    private static let codes: [(attribute: Attributes, on: String, off: String)] = [
        (.bold, "1", "22"), (.dim, "2", "22"), (.underlined, "4", "24"), (.reversed, "7", "27"),
    ]
}
