@testable import BLETerminal

/// A terminal that draws as modern ones do, and refuses what it doesn't know.
struct SimulatedTerminal {
    private(set) var cells: [[Cell]]
    private(set) var showsCursor = true
    private(set) var unknown: [String] = []
    private(set) var scrolled = 0

    private let size: Size
    /// Whether it knows characters of several scalars; else it draws each scalar for itself, as many do.
    private let knowsCharacters: Bool
    private(set) var row = 0
    private(set) var column = 0
    /// After the last column the cursor waits there, and only what is written next is in the next row.
    private var isPending = false
    private var style = Style.plain

    init(_ size: Size, knowsCharacters: Bool = true) {
        self.size = size
        self.knowsCharacters = knowsCharacters
        cells = Array(
            repeating: Array(repeating: .blank, count: size.columns),
            count: size.rows
        )
    }

    /// The cells that are not as a screen has them.
    func differences(from screen: Screen) -> [String] {
        (0..<size.rows).flatMap { row in
            (0..<size.columns).compactMap { column in
                let (wanted, seen) = (screen[row, column], cells[row][column])
                return wanted == seen
                    ? nil : "\(row), \(column): \(seen) in place of \(wanted)"
            }
        }
    }

    mutating func receive(_ bytes: [UInt8]) {
        var scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars[...]
        var text = String.UnicodeScalarView()
        while let scalar = scalars.popFirst() {
            guard scalar.value < 0x20 else {
                text.append(scalar)
                continue
            }
            write(String(text))
            text = .init()
            switch scalar {
            case "\u{1B}": sequence(&scalars)
            case "\r": (column, isPending) = (0, false)
            case "\n":
                if row == size.rows - 1 { scrolled += 1 } else { row += 1 }
                isPending = false
            case "\u{8}": (column, isPending) = (max(0, column - 1), false)
            default: unknown.append("\(scalar.value)")
            }
        }
        write(String(text))
    }

    private mutating func write(_ text: String) {
        let characters = knowsCharacters ? Array(text) : text.unicodeScalars.map { Character($0) }
        for character in characters {
            let width = character.displayWidth
            if width == 0 {
                if knowsCharacters { unknown.append("a character without a cell") }
                continue
            }
            if isPending || column + width > size.columns {
                scrolled += 1
                continue
            }
            set(character, column)
            if width == 2 { set(nil, column + 1) }
            column += width
            if column == size.columns { (column, isPending) = (column - 1, true) }
        }
    }

    private mutating func set(_ character: Character?, _ column: Int) {
        if cells[row][column].character == nil, character != nil {
            cells[row][column - 1] = .blank
        }
        if column + 1 < size.columns, cells[row][column + 1].character == nil {
            cells[row][column + 1] = .blank
        }
        cells[row][column] = Cell(character: character, style: style)
    }

    private mutating func sequence(_ scalars: inout Substring.UnicodeScalarView) {
        switch scalars.popFirst() {
        case "]":
            var content = ""
            while let scalar = scalars.popFirst(), scalar != "\u{1B}" {
                content.unicodeScalars.append(scalar)
            }
            _ = scalars.popFirst()
            guard content.hasPrefix("8;;") else { return unknown.append(content) }
            style.link = content.count > 3 ? String(content.dropFirst(3)) : nil
        case "[":
            var parameters = ""
            while let scalar = scalars.popFirst() {
                if (0x40...0x7E).contains(scalar.value) {
                    return control(scalar, parameters)
                }
                parameters.unicodeScalars.append(scalar)
            }
        case let other: unknown.append("escape \(String(describing: other))")
        }
    }

    private mutating func control(_ final: Unicode.Scalar, _ parameters: String) {
        let numbers = parameters.split(separator: ";", omittingEmptySubsequences: false)
            .map { Int($0) ?? 0 }
        let first = max(1, numbers.first ?? 1)
        if final != "m", final != "h", final != "l" { isPending = false }
        switch (final, parameters) {
        case ("H", _):
            row = min(first, size.rows) - 1
            column = min(numbers.count > 1 ? max(1, numbers[1]) : 1, size.columns) - 1
        case ("G", _): column = min(first, size.columns) - 1
        case ("C", _): column = min(column + first, size.columns - 1)
        case ("D", _): column = max(0, column - first)
        case ("X", _):
            for column in column..<min(column + first, size.columns) { set(" ", column) }
        case ("K", ""): for column in column..<size.columns { set(" ", column) }
        case ("J", "2"):
            cells = cells.map { $0.map { _ in Cell(character: " ", style: style) } }
        case ("m", _): select(numbers)
        case ("h", "?25"): showsCursor = true
        case ("l", "?25"): showsCursor = false
        default: unknown.append("\(parameters)\(final)")
        }
    }

    private mutating func select(_ numbers: [Int]) {
        var numbers = numbers[...]
        while let number = numbers.popFirst() {
            switch number {
            case 0: style = Style(link: style.link)
            case 1: style.attributes.insert(.bold)
            case 2: style.attributes.insert(.dim)
            case 4: style.attributes.insert(.underlined)
            case 7: style.attributes.insert(.reversed)
            case 22: style.attributes.subtract([.bold, .dim])
            case 24: style.attributes.remove(.underlined)
            case 27: style.attributes.remove(.reversed)
            case 30...37: style.color = Color(rawValue: UInt8(number - 30))
            case 38, 48:
                _ = numbers.popFirst()
                let color = numbers.popFirst().map { Color(rawValue: UInt8($0)) }
                if number == 38 { style.color = color } else { style.background = color }
            case 39: style.color = nil
            case 40...47: style.background = Color(rawValue: UInt8(number - 40))
            case 49: style.background = nil
            case 90...97: style.color = Color(rawValue: UInt8(number - 82))
            case 100...107: style.background = Color(rawValue: UInt8(number - 92))
            default: unknown.append("style \(number)")
            }
        }
    }
}
