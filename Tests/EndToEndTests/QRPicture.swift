import BLEQRCode
import Foundation

/// A QR code as a picture, as a camera might take it.
struct QRPicture {
    private let symbol: QRSymbol

    init(of text: String) throws {
        symbol = try QRSymbol(text)
    }

    /// Writes it as a portable bitmap, eight pixels a module, with the quiet zone around it.
    func write(to path: String) throws {
        let (scale, quiet) = (8, 4)
        let range = -quiet..<symbol.size + quiet
        var text = "P1\n\(range.count * scale) \(range.count * scale)\n"
        for y in range {
            let modules = range.map { x in isInside(x, y) && symbol[x, y] ? "1" : "0" }
            let line = modules.flatMap { Array(repeating: $0, count: scale) }.joined() + "\n"
            text += String(repeating: line, count: scale)
        }
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    private func isInside(_ x: Int, _ y: Int) -> Bool {
        (0..<symbol.size).contains(x) && (0..<symbol.size).contains(y)
    }
}
