/// What an entered text is: a message, a command, or neither.
enum Entry: Hashable, Sendable {
    case text(String)
    case command(Command)
    case mistake(String)

    /// Reads a text.
    ///
    /// What begins with `/` is a command; with `//`, a message that begins with one `/`.
    ///
    /// - Parameter text: what was entered.
    init(_ text: String) {
        guard text.hasPrefix("/") else {
            self = .text(text)
            return
        }
        let rest = text.dropFirst()
        if rest.hasPrefix("/") {
            self = .text(String(rest))
            return
        }
        let name = rest.prefix { !$0.isWhitespace }
        self = Self.command(name.lowercased(), rest[name.endIndex...].dropFirst())
    }

    /// What is sent of a text, and so is counted; `nil` when nothing is.
    static func sentText(of text: String) -> String? {
        switch Entry(text) {
        case .text(let text), .command(.edit(.some(let text))): text
        case .command, .mistake: nil
        }
    }

    private static func command(_ name: String, _ argument: Substring) -> Entry {
        let line = oneLine(argument)
        switch name {
        case "who": return .command(.who)
        case "friends": return .command(.friends)
        case "rename": return needing(line, "/rename NAME") { .rename($0) }
        case "file": return needing(line, "/file PATH") { .file($0) }
        case "search": return needing(line, "/search TEXT") { .search($0) }
        case "edit": return .command(.edit(line.isEmpty ? nil : String(argument)))
        case "delete": return .command(.delete)
        case "resend": return .command(.resend)
        case "me": return .command(.me)
        case "help": return .command(.help)
        case "quit": return .command(.quit)
        default:
            if let command = PersonCommand(rawValue: name) {
                return .command(.people(command, name: line.isEmpty ? nil : line))
            }
            return .mistake(
                "There is no command /\(name.fitted(20)): see /help. // sends what begins with /."
            )
        }
    }

    private static func needing(
        _ argument: String,
        _ usage: String,
        _ command: (String) -> Command
    ) -> Entry {
        argument.isEmpty ? .mistake("Say more: \(usage)") : .command(command(argument))
    }

    /// A text without line feeds, and without white space at its ends.
    private static func oneLine(_ text: Substring) -> String {
        var line = Substring(String(text.map { $0.isNewline ? " " : $0 }))
        while line.first?.isWhitespace == true { line.removeFirst() }
        while line.last?.isWhitespace == true { line.removeLast() }
        return String(line)
    }
}
