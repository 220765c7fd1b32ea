import Foundation
import Testing

@testable import BLEQRCode

/// What Scripts/qr-symbols made with the Python packages qrcode and segno.
struct Symbols: Decodable, Sendable {
    /// A symbol with the mask that has the lowest penalty.
    struct Symbol: Decodable, Sendable, CustomTestStringConvertible {
        let text: String
        let version: Int
        let correction: Int
        let mask: Int
        /// Rows in hexadecimal digits, the left module in the highest bit.
        let rows: [String]

        var testDescription: String { "version \(version), \(text.prefix(20))" }
    }

    /// A symbol that is full of a generated text.
    struct Checksum: Decodable, Sendable, CustomTestStringConvertible {
        let version: Int
        let correction: Int
        let mask: Int
        let byteCount: Int
        /// FNV-1a of 64 bits over the modules, row by row, a byte each.
        let checksum: String

        var testDescription: String { "version \(version), correction \(correction)" }

        /// The text: as `generated` of Scripts/qr-symbols.d/symbols.py has it.
        var text: [UInt8] {
            let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)
            return (0..<byteCount).map { place in
                let number = place * place + version
                guard version % 2 == 0 else { return alphabet[number % 45] }
                return place == 0 ? 97 : UInt8(33 + number % 94)
            }
        }
    }

    let symbols: [Symbol]
    let checksums: [Checksum]

    static func all() throws -> Symbols {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "symbols.json")
        return try JSONDecoder().decode(Symbols.self, from: Data(contentsOf: file))
    }
}
