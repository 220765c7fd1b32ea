/// Which characters of a text are in which row.
struct EditorLayout: Sendable {
    /// The ranges of the characters, without line feeds; at least one.
    private(set) var rows: [Range<Int>]

    private let columns: Int

    init(_ characters: [Character], columns: Int) {
        self.columns = max(1, columns)
        rows = TextWrap.rows(of: characters, width: self.columns, spacesHang: false)
        // The cursor behind a row that is full is in a row of its own.
        if let last = rows.last, width(last, characters) >= self.columns {
            rows.append(characters.count..<characters.count)
        }
    }

    /// Where the cell is before which the cursor is.
    func position(of index: Int, in characters: [Character]) -> Position {
        // A place between two rows belongs to the second one, unless a line feed is there.
        let row = rows.lastIndex { $0.lowerBound <= index } ?? 0
        let column = width(rows[row].lowerBound..<index, characters)
        return Position(row: row, column: min(column, columns - 1))
    }

    /// The place in a row that is nearest to a column, but not right of it.
    func index(atColumn column: Int, ofRow row: Int, in characters: [Character]) -> Int {
        var index = rows[row].lowerBound
        var end = 0
        while index < rows[row].upperBound {
            end += characters[index].displayWidth
            if end > column { return index }
            index += 1
        }
        // Behind a row that goes on the cursor would be in the next one.
        let goesOn = rows.indices.contains(row + 1) && rows[row + 1].lowerBound == index
        return goesOn && index > rows[row].lowerBound ? index - 1 : index
    }

    private func width(_ range: Range<Int>, _ characters: [Character]) -> Int {
        characters[range].reduce(0) { $0 + $1.displayWidth }
    }
}
