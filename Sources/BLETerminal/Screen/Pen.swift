/// Writes cells, and knows where the terminal's cursor is and how it writes.
struct Pen {
    private(set) var style = Style.plain
    var output = ""

    private let features: TerminalFeatures

    /// Where the cursor is.
    private var row: Int?
    /// `nil` while terminals disagree: after the last column, and after a character of several scalars, which
    /// not all draw as wide as they should.
    private var column: Int?

    /// The character before the cursor, with which the next one may not become one.
    private var previous: Character?

    init(_ features: TerminalFeatures, at position: Position?) {
        self.features = features
        row = position?.row
        column = position?.column
    }

    /// Makes everything empty, in the plain style, whatever was written before, or was cut.
    mutating func clear() {
        if features.hasLinks { output += Self.link(to: nil) }
        output += "\u{1B}[m\u{1B}[H\u{1B}[2J"
        (row, column, previous) = (0, 0, nil)
    }

    /// Makes the rest of the row empty; with the plain style alone.
    mutating func eraseToEndOfRow() {
        output += "\u{1B}[K"
        previous = nil
    }

    /// Writes from now on in a style.
    mutating func apply(_ wanted: Style) {
        var wanted = wanted
        if !features.hasColors { (wanted.color, wanted.background) = (nil, nil) }
        if !features.hasLinks { wanted.link = nil }
        guard wanted != style else { return }
        output += wanted.sequence(from: style)
        if wanted.link != style.link { output += Self.link(to: wanted.link) }
        style = wanted
        previous = nil
    }

    /// Begins a link, or ends one.
    ///
    /// Source: gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda
    private static func link(to target: String?) -> String {
        "\u{1B}]8;;\(WebLinks.encoded(target ?? ""))\u{1B}\\"
    }

    /// Writes a cell where the cursor is.
    ///
    /// - Parameters:
    ///   - cell: the left one of two, if it has two.
    ///   - isAtEnd: whether it ends the row.
    mutating func put(_ cell: Cell, isAtEnd: Bool) {
        apply(cell.style)
        let character = cell.character ?? " "
        if !cell.isSimple, cell.width == 2 {
            // Who draws it in one cell would leave what was in the other. Source: ECMA-48, 8.3.38 (ECH).
            output += "\u{1B}[2X"
        } else if joins(character), let row, let column {
            output += "\u{1B}[\(column + 1)G"
            self.row = row
        }
        output.append(character)
        previous = character
        column = cell.isSimple && !isAtEnd ? column.map { $0 + cell.width } : nil
    }

    /// Whether a terminal would take it and the one before it for other characters: half a flag and a flag.
    private func joins(_ character: Character) -> Bool {
        guard let previous, !(character.isASCII && previous.isASCII) else { return false }
        return Array(String([previous, character])) != [previous, character]
    }

    /// Moves the cursor, on the shortest way.
    ///
    /// - Parameters:
    ///   - target: where to.
    ///   - screen: what the terminal shows or is to show from here to there: writing it again may be shortest.
    mutating func move(to target: Position, over screen: Screen?) {
        guard row != target.row || column != target.column else { return }
        if let screen, rewrite(to: target, of: screen) { return }
        output += ways(to: target).min { $0.utf8.count < $1.utf8.count } ?? ""
        (row, column, previous) = (target.row, target.column, nil)
    }

    /// The sequences that move the cursor there.
    ///
    /// Source: ECMA-48, 8.3.21 (CUP), 8.3.9 (CHA), 8.3.20 (CUF), 8.3.18 (CUB).
    private func ways(to target: Position) -> [String] {
        var ways = [
            target.column == 0
                ? "\u{1B}[\(number(target.row + 1))H"
                : "\u{1B}[\(number(target.row + 1));\(target.column + 1)H"
        ]
        guard let row else { return ways }
        if target.column == 0, target.row >= row, target.row - row <= 3 {
            ways.append("\r" + String(repeating: "\n", count: target.row - row))
        }
        guard row == target.row else { return ways }
        ways.append("\u{1B}[\(target.column + 1)G")
        guard let column else { return ways }
        let distance = target.column - column
        if distance > 0 { ways.append("\u{1B}[\(number(distance))C") }
        if distance < 0 {
            ways.append("\u{1B}[\(number(-distance))D")
            if distance >= -4 { ways.append(String(repeating: "\u{8}", count: -distance)) }
        }
        return ways
    }

    /// A parameter, which is left out when it is 1.
    private func number(_ value: Int) -> String { value == 1 ? "" : "\(value)" }

    /// Writes a few cells again that are right already, when they are of one byte and the same style.
    private mutating func rewrite(to target: Position, of screen: Screen) -> Bool {
        guard row == target.row, let column, (1...3).contains(target.column - column) else {
            return false
        }
        let cells = (column..<target.column).map { screen[target.row, $0] }
        guard cells.allSatisfy({ $0.style == style && $0.character?.isASCII == true }) else {
            return false
        }
        for cell in cells { put(cell, isAtEnd: false) }
        return true
    }
}
