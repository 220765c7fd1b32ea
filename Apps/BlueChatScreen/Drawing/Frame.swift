internal import BLETerminal

/// Where the parts of the screen are.
///
/// ```
/// status
/// list  │ heading
///       │ chat
/// notices
/// input
/// keys
/// ```
///
/// What is less needed goes first when there is no room.
struct Frame: Hashable, Sendable {
    let status: Area
    /// Empty where the chat alone is shown.
    let list: Area
    /// The column between the two; empty where one of them is shown.
    let divider: Area
    /// With the heading; empty where the list alone is shown.
    let chat: Area
    let notices: Area
    let input: Area
    let keys: Area

    /// From how many columns on list and chat are side by side.
    static let wideColumns = 60

    static func isWide(_ size: Size) -> Bool { size.columns >= wideColumns }

    /// How many rows the input has at most.
    static func inputLimit(_ size: Size) -> Int { max(1, min(10, (size.rows - 3) / 3)) }

    /// How many rows of notices there are at most.
    static func noticeLimit(_ size: Size) -> Int { size.rows < 10 ? 1 : min(5, size.rows / 4) }

    init(_ size: Size, showsList: Bool, inputRows: Int, noticeRows: Int) {
        var rest = Area(rows: 0..<size.rows, columns: 0..<size.columns)
        keys = rest.takeBottom(size.rows >= 4 ? 1 : 0)
        input = rest.takeBottom(min(inputRows, Self.inputLimit(size)))
        notices = rest.takeBottom(min(noticeRows, Self.noticeLimit(size)))
        status = rest.takeTop(size.rows >= 5 ? 1 : 0)
        guard Self.isWide(size) else {
            list = showsList ? rest : Area(rows: rest.rows, columns: 0..<0)
            divider = Area(rows: rest.rows, columns: 0..<0)
            chat = showsList ? Area(rows: rest.rows, columns: 0..<0) : rest
            return
        }
        list = rest.takeLeft(min(40, max(24, size.columns / 4)))
        divider = rest.takeLeft(1)
        chat = rest
    }
}
