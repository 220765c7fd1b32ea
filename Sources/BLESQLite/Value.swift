/// What a column or a parameter holds.
package enum Value: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    package init(_ number: (some BinaryInteger)?) {
        self = number.map { .integer(Int64($0)) } ?? .null
    }

    package init(_ text: String?) {
        self = text.map { .text($0) } ?? .null
    }

    package init(_ bytes: [UInt8]?) {
        self = bytes.map { .bytes($0) } ?? .null
    }
}

extension Value: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int64) {
        self = .integer(value)
    }
}

extension Value: ExpressibleByNilLiteral {
    package init(nilLiteral: ()) {
        self = .null
    }
}

extension Value: ExpressibleByBooleanLiteral {
    package init(booleanLiteral value: Bool) {
        self = .integer(value ? 1 : 0)
    }
}
