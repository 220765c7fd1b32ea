@testable import BLETerminal
import Testing

/// An editor that is simple, slow and right.
private struct Model {
    var before = ""
    var after = ""
    var undo: [(String, String)] = []
    private var killed = ""
    private var isKilling = false

    var text: String { before + after }

    mutating func apply(_ edit: Edit) {
        let wasKilling = isKilling
        isKilling = false
        switch edit {
        case .insert(let text):
            // The cursor is behind the character in which the inserted text ends.
            set(before + text, after)
        case .delete(let direction): _ = cut(direction, 1)
        case .killWord(let direction): kill(direction, word(direction), wasKilling)
        case .killLine(let direction):
            kill(direction, max(1, line(direction)), wasKilling)
        case .yank: set(before + killed, after)
        case .move(let direction): move(direction, 1)
        case .moveWord(let direction): move(direction, word(direction))
        case .moveLine(let direction): move(direction, line(direction))
        case .moveText(let direction): move(direction, .max)
        case .moveRow, .undo, .redo: break
        }
    }

    private mutating func set(_ before: String, _ after: String) {
        let text = before + after
        var end = before.unicodeScalars.count
        let head = Array(text).prefix { character in
            defer { end -= character.unicodeScalars.count }
            return end > 0
        }
        self.before = String(head)
        self.after = String(Array(text).dropFirst(head.count))
    }

    private mutating func cut(_ direction: Edit.Direction, _ count: Int) -> String {
        if direction == .backward {
            let part = String(Array(before).suffix(count))
            set(String(Array(before).dropLast(count)), after)
            return part
        }
        let part = String(Array(after).prefix(count))
        set(before, String(Array(after).dropFirst(count)))
        return part
    }

    private mutating func kill(_ direction: Edit.Direction, _ count: Int, _ appending: Bool) {
        let part = cut(direction, count)
        guard !part.isEmpty else {
            isKilling = appending
            return
        }
        let old = appending ? killed : ""
        killed = direction == .backward ? part + old : old + part
        isKilling = true
    }

    private mutating func move(_ direction: Edit.Direction, _ count: Int) {
        let all = Array(before) + Array(after)
        let index = Array(before).count
        let count = min(count, all.count)
        let next = min(max(0, direction == .backward ? index - count : index + count), all.count)
        before = String(all[..<next])
        after = String(all[next...])
    }

    private func ahead(_ direction: Edit.Direction) -> [Character] {
        direction == .backward ? Array(before).reversed() : Array(after)
    }

    private func word(_ direction: Edit.Direction) -> Int {
        let ahead = ahead(direction)
        let isPart = { (character: Character) in
            character.isLetter || character.isNumber || character == "_"
        }
        let gap = ahead.prefix { !isPart($0) }.count
        return gap + ahead.dropFirst(gap).prefix(while: isPart).count
    }

    private func line(_ direction: Edit.Direction) -> Int {
        ahead(direction).prefix { $0 != "\n" }.count
    }
}

@Suite("The line editor, beside a simple one")
struct LineEditorModelTests {
    private func edit(_ seed: inout Seed) -> Edit {
        let direction: Edit.Direction = Bool.random(using: &seed) ? .backward : .forward
        return switch Int.random(in: 0..<12, using: &seed) {
        case 0: .delete(direction)
        case 1: .killWord(direction)
        case 2: .killLine(direction)
        case 3: .yank
        case 4: .move(direction)
        case 5: .moveWord(direction)
        case 6: .moveLine(direction)
        case 7: .moveText(direction)
        default: .insert(seed.text(1...4, of: Seed.characters + ["\n", "one ", "two_2"]))
        }
    }

    @Test(arguments: 0..<150)
    func `does the same`(seed: Int) {
        var seed = Seed(seed)
        var editor = LineEditor(size: Size(columns: Int.random(in: 1...9, using: &seed), rows: 2))
        var model = Model()
        for _ in 0..<50 {
            let edit = edit(&seed)
            editor.apply(edit)
            model.apply(edit)
            #expect(editor.text.unicodeScalars.elementsEqual(model.text.unicodeScalars), "\(edit)")
            #expect(editor.content.cursor == Array(model.before).count, "\(edit)")
            guard editor.text.unicodeScalars.elementsEqual(model.text.unicodeScalars) else {
                return
            }
        }
    }

    @Test(arguments: 0..<80)
    func `keeps its characters whole and its cursor in sight`(seed: Int) {
        var seed = Seed(seed)
        let size = Size(
            columns: Int.random(in: 2...9, using: &seed),
            rows: Int.random(in: 1...3, using: &seed)
        )
        var editor = LineEditor(size: size, history: ["one\ntwo", "漢字"])
        for _ in 0..<50 {
            let direction: Edit.Direction = Bool.random(using: &seed) ? .backward : .forward
            editor.apply(Bool.random(using: &seed) ? edit(&seed) : .moveRow(direction))
            #expect(editor.content.characters == Array(editor.content.string))
            #expect((0..<size.rows).contains(editor.cursor.row))
            #expect((0..<size.columns).contains(editor.cursor.column))
            #expect(editor.visibleRows.count <= size.rows)
            #expect(editor.visibleRows.allSatisfy { $0.displayWidth <= size.columns })
            #expect(editor.cursor.row < editor.visibleRows.count)
        }
    }

    @Test(arguments: 0..<80)
    func `takes back all, and makes all again`(seed: Int) {
        var seed = Seed(seed)
        var editor = LineEditor(size: Size(columns: 9, rows: 2))
        for _ in 0..<40 { editor.apply(edit(&seed)) }
        let text = editor.text
        while editor.apply(.undo) {}
        #expect(editor.text.isEmpty)
        while editor.apply(.redo) {}
        #expect(editor.text.unicodeScalars.elementsEqual(text.unicodeScalars))
    }
}
