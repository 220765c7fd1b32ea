/// What a terminal can do, and what its user wants.
public struct TerminalFeatures: Hashable, Sendable {
    /// Whether there are colours.
    public var hasColors: Bool
    /// Whether text can be a link.
    public var hasLinks: Bool
    /// Whether the cursor can be moved; if not, text is written line by line.
    public var movesCursor: Bool

    /// Creates the features of a terminal.
    ///
    /// - Parameters:
    ///   - hasColors: whether there are colours.
    ///   - hasLinks: whether text can be a link.
    ///   - movesCursor: whether the cursor can be moved.
    public init(hasColors: Bool = true, hasLinks: Bool = true, movesCursor: Bool = true) {
        self.hasColors = hasColors
        self.hasLinks = hasLinks
        self.movesCursor = movesCursor
    }

    /// Reads the features from the variables of an environment.
    ///
    /// `NO_COLOR`, when it is not empty, means no colours; a `TERM` that is `dumb`, empty or left out a terminal
    /// that can do nothing; `linux`, the console, one without links.
    ///
    /// Source: no-color.org.
    ///
    /// - Parameter environment: the variables.
    public init(environment: [String: String]) {
        let terminal = environment["TERM"] ?? ""
        movesCursor = !["", "dumb"].contains(terminal)
        hasColors = movesCursor && (environment["NO_COLOR"] ?? "").isEmpty
        hasLinks = movesCursor && terminal != "linux"
    }
}
