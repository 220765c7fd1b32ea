/// UUIDs as text, the way D-Bus carries them.
enum BluetoothUUIDText {
    /// The long form in lower case; `nil` for a text that is no UUID.
    static func normalized(_ text: String) -> String? {
        let text = text.lowercased()
        switch text.utf8.count {
        case 4 where text.utf8.allSatisfy(isHexadecimal): return long(text)
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

    /// How many bytes it takes in an advertisement.
    static func byteCount(_ uuid: String) -> Int {
        uuid.hasPrefix("0000") && uuid.hasSuffix(baseSuffix) ? 2 : 16
    }

    private static let baseSuffix = "-0000-1000-8000-00805f9b34fb"

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
