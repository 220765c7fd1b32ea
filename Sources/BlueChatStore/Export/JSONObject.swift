/// One object of JSON on one line, with its members in order.
struct JSONObject {
    private(set) var text = "{"

    mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        addName(name)
        append(value)
    }

    mutating func add(_ name: String, _ value: Int64?) {
        guard let value else { return }
        addName(name)
        text += String(value)
    }

    mutating func add(_ name: String, _ value: Bool) {
        addName(name)
        text += value ? "true" : "false"
    }

    /// The object, whole.
    var line: String { text + "}" }

    private mutating func addName(_ name: String) {
        if text.utf8.count > 1 { text += "," }
        append(name)
        text += ":"
    }

    /// Adds a string, in quotation marks; what ends a line for some reader is escaped, too, and whatever else a terminal could
    /// obey, such as marks of the direction.
    ///
    /// Source: RFC 8259, 7.
    private mutating func append(_ string: String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar.value {
            case 0x22: text += "\\\""
            case 0x5C: text += "\\\\"
            case 0x0A: text += "\\n"
            case 0x0D: text += "\\r"
            case 0x09: text += "\\t"
            case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
