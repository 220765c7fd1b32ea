/// One JSON object on one line, without Foundation, whose start would cost more than the rest.
///
/// ```swift
/// JSONLine(["event": "sighting", "name": .string(ball.name), "rssi": -50]).text
/// ```
public struct JSONLine: Sendable {
    /// A value of an object's member.
    public enum Value: Sendable {
        /// A text.
        case string(String)
        /// A whole number.
        case integer(Int)
    }

    /// The object as text, without the end of the line.
    public let text: String

    /// An object.
    ///
    /// - Parameter members: names and values, in this order; without a value a member is left out.
    public init(_ members: KeyValuePairs<String, Value?>) {
        self.init(Array(members))
    }

    init(_ members: [(key: String, value: Value?)]) {
        let parts = members.compactMap { name, value in
            value.map { "\(Self.quoted(name)):\(Self.encoded($0))" }
        }
        text = "{" + parts.joined(separator: ",") + "}"
    }

    private static func encoded(_ value: Value) -> String {
        switch value {
        case .string(let text): quoted(text)
        case .integer(let number): String(number)
        }
    }

    /// A string literal.
    ///
    /// Besides what RFC 8259, 7 asks for, whatever a terminal could obey is escaped.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.isUnsafeToPrint:
                // All of them lie below U+10000, so one unit is enough.
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension JSONLine.Value: ExpressibleByStringLiteral {
    /// A text that is written in the program.
    public init(stringLiteral text: String) { self = .string(text) }
}

extension JSONLine.Value: ExpressibleByIntegerLiteral {
    /// A number that is written in the program.
    public init(integerLiteral number: Int) { self = .integer(number) }
}
