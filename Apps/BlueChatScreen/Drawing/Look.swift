internal import BLETerminal

/// How the parts of the screen look.
///
/// Nothing is said by a colour alone: there are terminals without.
enum Look {
    static let bar = Style(nil, .reversed)
    static let loud = Style(.red, [.bold, .reversed])
    static let faint = Style(nil, .dim)
    static let strong = Style(nil, .bold)
    static let key = Style(nil, .bold)
    static let near = Style(.green, .bold)
    static let unread = Style(.yellow, .bold)
    static let own = Style(.green, .bold)
    static let others = Style(.cyan, .bold)
    static let failed = Style(.red, .bold)
    static let notice = Style(.yellow)
    /// Of the colours that no user has changed, so that a camera can read it.
    static let code = Style(Color(rawValue: 16), background: Color(rawValue: 231))
}
