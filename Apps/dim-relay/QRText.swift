import BLEQRCode
import Glibc
import RadioCLI

/// A text as a QR code in a terminal.
enum QRText {
    /// Shows a QR code on standard output.
    ///
    /// Black on white, whatever colours the terminal has: not every camera reads one that is inverted.
    ///
    /// - Parameters:
    ///   - text: what it says.
    ///   - isWanted: whether it is shown also where nobody looks at it, or it has no room.
    ///   - console: where it is printed.
    static func show(_ text: String, isWanted: Bool, on console: Console) {
        guard let symbol = try? QRSymbol(text) else { return }
        let lines = symbol.lines()
        var window = winsize()
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let hasRoom =
            isTerminal && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0
            && lines.allSatisfy { $0.count <= Int(window.ws_col) }
        guard isWanted || hasRoom else { return }
        let hasColours =
            isTerminal
            && getenv("TERM").map { String(cString: $0) != "dumb" } ?? false
        console.picture(
            hasColours ? lines.map { "\u{1B}[38;5;16;48;5;231m\($0)\u{1B}[0m" } : lines
        )
    }
}
