/// A key, as it was pressed.
public struct Key: Hashable, Sendable {
    /// Which key.
    public enum Code: Hashable, Sendable {
        /// One that writes a character. What is composed of several scalars comes as several keys.
        case character(Character)
        /// Enter.
        case enter
        /// Tab.
        case tab
        /// Deletes before the cursor.
        case backspace
        /// Deletes after the cursor.
        case delete
        /// Insert.
        case insert
        /// Escape.
        case escape
        /// The arrow up.
        case up
        /// The arrow down.
        case down
        /// The arrow left.
        case left
        /// The arrow right.
        case right
        /// Home.
        case home
        /// End.
        case end
        /// Page up.
        case pageUp
        /// Page down.
        case pageDown
        /// A function key, F1 to F20.
        case function(Int)
    }

    /// Keys that are held with another one.
    public struct Modifiers: OptionSet, Hashable, Sendable {
        /// A bit for each, as in the parameter that terminals send, less 1.
        public let rawValue: UInt8

        /// Creates a set from its bits.
        ///
        /// - Parameter rawValue: a bit for each.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Shift.
        ///
        /// With a key that writes a character, the character says it.
        public static let shift = Modifiers(rawValue: 1)
        /// Alt, or Meta.
        public static let alt = Modifiers(rawValue: 2)
        /// Control.
        public static let control = Modifiers(rawValue: 4)
    }

    /// Which key.
    public let code: Code
    /// What was held with it.
    public let modifiers: Modifiers

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - code: which key.
    ///   - modifiers: what was held with it.
    public init(_ code: Code, _ modifiers: Modifiers = []) {
        self.code = code
        self.modifiers = modifiers
    }

    /// Creates a key that writes a character.
    ///
    /// - Parameters:
    ///   - character: the character.
    ///   - modifiers: what was held with it.
    public init(_ character: Character, _ modifiers: Modifiers = []) {
        self.init(.character(character), modifiers)
    }
}
