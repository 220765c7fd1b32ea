extension Unicode.Scalar {
    /// Whether a terminal might do something else with it than to show it.
    ///
    /// Controls (C0, DEL, C1), the separators of lines and paragraphs, and what changes the
    /// direction of the text around it. All lie below U+10000.
    var isUnsafeToPrint: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

extension String {
    /// The text on one line, with everything that a terminal might obey written out: `\u{1B}`.
    ///
    /// What a peer sends is printed only so.
    public var printable: String {
        guard unicodeScalars.contains(where: \.isUnsafeToPrint) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            if scalar.isUnsafeToPrint {
                result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
