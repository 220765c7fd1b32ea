/// UUIDs as text, the way D-Bus carries them.
///
/// Source: BlueZ, lib/uuid.c, `bt_string_to_uuid`: 16 and 32 bits may have `0x` before them, and are
/// told apart by their length alone.
enum BluetoothUUIDText {
    /// The long form in lower case; `nil` for a text that is no UUID.
    static func normalized(_ text: String) -> String? {
        let text = text.lowercased()
        switch text.utf8.count {
        case 4, 6: return number(text).map { long(hexadecimal($0 & 0xffff, digits: 4)) }
        case 8, 10: return number(text).map { hexadecimal($0, digits: 8) + baseSuffix }
        case 36:
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            let isValid =
                parts.map(\.utf8.count) == [8, 4, 4, 4, 12]
                && parts.allSatisfy { $0.utf8.allSatisfy(isHexadecimal) }
            return isValid ? text : nil
        default: return nil
        }
    }

    /// The long form of a 16-bit number, `180a`.
    static func long(_ digits: String) -> String { "0000" + digits + baseSuffix }

    /// How many bytes it takes in an advertisement; 32 bits that were given as such stay 32 bits.
    static func byteCount(_ text: String) -> Int {
        switch text.utf8.count {
        case 4, 6: 2
        case 8, 10: 4
        default: text.hasPrefix("0000") && text.lowercased().hasSuffix(baseSuffix) ? 2 : 16
        }
    }

    private static let baseSuffix = "-0000-1000-8000-00805f9b34fb"

    private static func number(_ text: String) -> UInt32? {
        let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy(isHexadecimal) else { return nil }
        return UInt64(digits, radix: 16).map(UInt32.init(truncatingIfNeeded:))
    }

    private static func hexadecimal(_ number: UInt32, digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
