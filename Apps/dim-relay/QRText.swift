import BLEQRCode
import Glibc

/// A text as a QR code in a terminal.
enum QRText {
    /// Shows a QR code on standard output, where somebody looks at it and it has room.
    ///
    /// Black on white, whatever colours the terminal has: not every camera reads one that is inverted.
    static func show(_ text: String) {
        guard isatty(STDOUT_FILENO) == 1, let symbol = try? QRSymbol(text) else { return }
        let lines = symbol.lines()
        var window = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0,
            lines.allSatisfy({ $0.count <= Int(window.ws_col) })
        else { return }
        let hasColours = getenv("TERM").map { String(cString: $0) != "dumb" } ?? false
        for line in lines {
            print(hasColours ? "\u{1B}[38;5;16;48;5;231m\(line)\u{1B}[0m" : line)
        }
        fflush(nil)
    }
}
