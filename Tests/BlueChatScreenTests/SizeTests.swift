import BLETerminal
@testable import BlueChatScreen
import TestThreads
import Testing

@Suite("Sizes", .ownThread)
struct SizeTests {
    @Test func `all fit into any size`() {
        for columns in 0...90 {
            for rows in 0...30 {
                let size = Size(columns: columns, rows: rows)
                for (input, notices) in [(1, 0), (3, 1), (50, 50)] {
                    for showsList in [false, true] {
                        check(
                            Frame(
                                size,
                                showsList: showsList,
                                inputRows: input,
                                noticeRows: notices
                            ),
                            size
                        )
                    }
                }
            }
        }
    }

    /// Each cell belongs to one part.
    private func check(_ frame: Frame, _ size: Size) {
        let areas = [
            frame.status, frame.list, frame.divider, frame.chat, frame.notices, frame.input,
            frame.keys,
        ]
        let count = areas.reduce(0) { $0 + $1.rows.count * $1.columns.count }
        #expect(count == size.columns * size.rows)
        for area in areas {
            #expect(area.rows.isEmpty || (0..<size.rows).contains(area.rows.lowerBound))
            #expect(area.rows.upperBound <= size.rows && area.columns.upperBound <= size.columns)
        }
        #expect(frame.input.rows.isEmpty == (size.rows == 0))
    }

    @Test func `every size has rows of its own width`() {
        var chatScreen = Sample.chatScreen()
        chatScreen.show(warning: "Careful, 漢字")
        chatScreen.show(radioState: "Bluetooth is off")
        chatScreen.type("Hi 漢字 👩🏽‍💻")
        for columns in 0...90 {
            for rows in 0...30 {
                #expect(chatScreen.drawn(columns, rows).faults == [], "\(columns) × \(rows)")
                if (columns + rows) % 3 == 0 { chatScreen.press(.tab) }
            }
        }
        #expect(chatScreen.drawn(300, 100).faults == [])
    }

    @Test func `the same is drawn in a size, whatever was before`() {
        let sizes = [(20, 6), (59, 12), (60, 12), (80, 24), (300, 100), (1, 1), (0, 0)]
        for (columns, rows) in sizes {
            var fresh = Sample.chatScreen()
            fresh.show(people: [Sample.bob])
            fresh.type("one\ntwo")
            let expected = fresh.drawn(columns, rows)
            for (otherColumns, otherRows) in sizes {
                var other = Sample.chatScreen()
                other.show(people: [Sample.bob])
                other.type("one\ntwo")
                _ = other.drawn(otherColumns, otherRows)
                #expect(other.drawn(columns, rows).trimmedRows == expected.trimmedRows)
                #expect(other.drawn(columns, rows).cursor == expected.cursor)
            }
        }
    }

    @Test func `what was on the screen before goes`() {
        var chatScreen = Sample.chatScreen()
        let expected = chatScreen.drawn(60, 12)
        var screen = Screen(Size(columns: 60, rows: 12))
        for row in 0..<12 {
            screen.write(String(repeating: "漢", count: 30), at: Position(row: row, column: 0))
        }
        _ = chatScreen.draw(on: &screen)
        #expect(screen == expected)
    }
}
