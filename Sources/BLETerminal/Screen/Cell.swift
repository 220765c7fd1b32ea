/// One cell of a screen.
public struct Cell: Hashable, Sendable {
    /// What is drawn in it; `nil` in the right one of two cells, where the left one has the character.
    public let character: Character?
    /// How it looks.
    public let style: Style

    /// An empty cell.
    static let blank = Cell(character: " ", style: .plain)

    /// Whether its character is one scalar: of others terminals disagree how wide they are.
    var isSimple: Bool { character?.unicodeScalars.count ?? 1 == 1 }

    /// How many cells its character takes.
    var width: Int { character.map { max(1, $0.displayWidth) } ?? 1 }
}
