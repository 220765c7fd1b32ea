/// Validates the names in a message, as libdbus aborts on those that are not valid.
///
/// Source: D-Bus specification, "Valid Names".
enum Names {
    private static let maximumByteCount = 255

    /// `org.bluez.Device1`: two or more elements that don't begin with a digit.
    static func isInterface(_ text: String) -> Bool {
        lend(text) { isDotted($0[...], mayStartWithDigit: false, mayHaveHyphen: false) }
    }

    /// The same rules as for an interface.
    static func isError(_ text: String) -> Bool {
        isInterface(text)
    }

    /// `org.bluez` or `:1.42`.
    static func isBus(_ text: String) -> Bool {
        lend(text) { text in
            guard text.first == UInt8(ascii: ":") else {
                return isDotted(text[...], mayStartWithDigit: false, mayHaveHyphen: true)
            }
            return isDotted(text.dropFirst(), mayStartWithDigit: true, mayHaveHyphen: true)
        }
    }

    /// `GetManagedObjects`.
    static func isMember(_ text: String) -> Bool {
        lend(text) { text in
            guard let first = text.first, !first.isDigit else { return false }
            return text.allSatisfy(\.isNameByte)
        }
    }

    /// Passes on contiguous bytes: twice as fast, and each call has four names.
    private static func lend(
        _ text: String,
        _ isValid: (UnsafeBufferPointer<UInt8>) -> Bool
    ) -> Bool {
        guard text.utf8.count <= maximumByteCount else { return false }
        var text = text
        return text.withUTF8(isValid)
    }

    private static func isDotted(
        _ text: Slice<UnsafeBufferPointer<UInt8>>,
        mayStartWithDigit: Bool,
        mayHaveHyphen: Bool
    ) -> Bool {
        var elements = 1
        var isStart = true
        for byte in text {
            if byte == UInt8(ascii: ".") {
                guard !isStart else { return false }
                elements += 1
                isStart = true
                continue
            }
            guard byte.isNameByte || mayHaveHyphen && byte == UInt8(ascii: "-") else {
                return false
            }
            guard !isStart || mayStartWithDigit || !byte.isDigit else { return false }
            isStart = false
        }
        return !isStart && elements > 1
    }
}

extension UInt8 {
    /// Whether this is an ASCII digit.
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether this is an ASCII letter, a digit or an underscore.
    var isNameByte: Bool {
        isDigit || self == UInt8(ascii: "_")
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }
}
