/// A valid signature: the types of a sequence of values, `sa{sv}as`.
///
/// Source: D-Bus specification, "Type System".
package struct Signature: Hashable, Sendable {
    package let rawValue: String

    /// The signature of an empty sequence.
    package static let empty = Signature(unchecked: "")

    private static let maximumByteCount = 255
    /// How deep arrays may be nested, and how deep structures.
    private static let maximumDepth = 32

    /// - Throws: ``BusError/Code/invalidMessage`` for a text that is not a signature.
    package init(_ text: String) throws(BusError) {
        guard Self.isValid(text) else {
            throw BusError(.invalidMessage, "'\(text)' is not a signature")
        }
        rawValue = text
    }

    /// A signature that is known to be valid.
    init(unchecked text: String) {
        rawValue = text
    }

    /// Whether it is a single complete type, as in a variant and in an array.
    package var isSingle: Bool {
        let types = Array(rawValue.utf8)
        return !types.isEmpty && Self.endOfType(types[...], at: 0) == types.count
    }

    static func isValid(_ text: String) -> Bool {
        let types = Array(text.utf8)
        guard types.count <= maximumByteCount else { return false }
        var position = 0
        while position < types.count {
            guard let end = check(types, at: position, arrays: 0, structures: 0) else {
                return false
            }
            position = end
        }
        return true
    }

    /// The position behind the type that begins at a position; `nil` when it is not valid.
    private static func check(
        _ types: [UInt8],
        at start: Int,
        arrays: Int,
        structures: Int
    ) -> Int? {
        guard start < types.count, arrays <= maximumDepth, structures <= maximumDepth else {
            return nil
        }
        switch types[start] {
        case UInt8(ascii: "a"):
            guard start + 1 < types.count, types[start + 1] == UInt8(ascii: "{") else {
                return check(types, at: start + 1, arrays: arrays + 1, structures: structures)
            }
            guard start + 2 < types.count, isBasic(types[start + 2]),
                let end = check(
                    types,
                    at: start + 3,
                    arrays: arrays + 1,
                    structures: structures + 1
                ),
                end < types.count, types[end] == UInt8(ascii: "}")
            else { return nil }
            return end + 1
        case UInt8(ascii: "("):
            var position = start + 1
            repeat {
                guard
                    let end = check(
                        types,
                        at: position,
                        arrays: arrays,
                        structures: structures + 1
                    )
                else { return nil }
                position = end
            } while position < types.count && types[position] != UInt8(ascii: ")")
            return position < types.count ? position + 1 : nil
        case UInt8(ascii: "v"):
            return start + 1
        case let type:
            return isBasic(type) ? start + 1 : nil
        }
    }

    private static func isBasic(_ type: UInt8) -> Bool {
        "ybnqiuxtdsogh".utf8.contains(type)
    }

    /// The position behind the type that begins at a position of a valid signature.
    static func endOfType<Types: RandomAccessCollection>(_ types: Types, at start: Int) -> Int
    where Types.Element == UInt8, Types.Index == Int {
        var position = start
        var depth = 0
        while position < types.endIndex {
            switch types[position] {
            case UInt8(ascii: "a"):
                position += 1
                continue
            case UInt8(ascii: "("), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            position += 1
            if depth == 0 { break }
        }
        return position
    }
}

extension Signature: ExpressibleByStringLiteral {
    /// A signature from a literal, which must be valid.
    package init(stringLiteral text: String) {
        // Not in release builds: there it would take 1,000 instructions each time.
        assert(Self.isValid(text), "'\(text)' is not a signature")
        rawValue = text
    }
}

extension Signature: CustomStringConvertible {
    package var description: String { rawValue }
}
