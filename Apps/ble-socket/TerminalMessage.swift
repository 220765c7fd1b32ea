import Glibc

/// What the ends of a shell over the air tell each other beside its bytes: a control message of an encrypted stream.
///
/// | bytes | from | |
/// |---|---|---|
/// | 01 | `--pty` | which size has the other end's terminal, now and whenever it changes? |
/// | 02, columns (2), rows (2), little-endian | `--tty` | this one |
///
/// Source: Docs/Wire.md.
enum TerminalMessage: Hashable, Sendable {
    case sizeQuestion
    case size(TerminalSize)

    /// Reads a message.
    ///
    /// - Returns: `nil` for what is none.
    init?(_ bytes: [UInt8]) {
        func number(at index: Int) -> Int { Int(bytes[index]) | Int(bytes[index + 1]) << 8 }
        switch (bytes.first, bytes.count) {
        case (1, 1):
            self = .sizeQuestion
        case (2, 5):
            guard let size = TerminalSize(columns: number(at: 1), rows: number(at: 3)) else {
                return nil
            }
            self = .size(size)
        default:
            return nil
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .sizeQuestion: [1]
        case .size(let size):
            [2] + [size.columns, size.rows].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        }
    }
}

/// How many characters a terminal shows.
struct TerminalSize: Hashable, Sendable {
    /// What a terminal has that nobody has given one.
    static let standard = TerminalSize(uncheckedColumns: 80, rows: 24)
    /// The most columns, and rows; programs keep each character.
    static let maximum = 1_000

    let columns: Int
    let rows: Int

    /// - Returns: `nil` for a terminal that shows nothing, or more than ``maximum``.
    init?(columns: Int, rows: Int) {
        let range = 1...Self.maximum
        guard range.contains(columns), range.contains(rows) else { return nil }
        (self.columns, self.rows) = (columns, rows)
    }

    private init(uncheckedColumns columns: Int, rows: Int) {
        (self.columns, self.rows) = (columns, rows)
    }

    /// The size of a terminal that is open.
    ///
    /// - Returns: `nil` for what is no terminal, or knows no size.
    init?(of number: Int32) {
        var window = winsize()
        guard ioctl(number, UInt(TIOCGWINSZ), &window) == 0 else { return nil }
        self.init(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }

    /// Gives a terminal this size; the system tells the program that runs in it.
    func apply(to number: Int32) {
        var window = winsize(
            ws_row: UInt16(rows),
            ws_col: UInt16(columns),
            ws_xpixel: 0,
            ws_ypixel: 0
        )
        _ = ioctl(number, UInt(TIOCSWINSZ), &window)
    }
}
