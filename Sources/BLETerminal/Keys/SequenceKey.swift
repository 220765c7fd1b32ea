/// Which key sends which sequence.
enum SequenceKey {
    /// The key that sends one scalar.
    static func plain(_ scalar: Unicode.Scalar, _ modifiers: Key.Modifiers) -> Key? {
        switch scalar.value {
        case 0x09: Key(.tab, modifiers)
        case 0x0D: Key(.enter, modifiers)
        case 0x7F: Key(.backspace, modifiers)
        case 0x1B: nil
        case 0: Key(" ", modifiers.union(.control))
        case 0x01...0x1A: control(0x60 + scalar.value, modifiers)
        case 0x1C...0x1F: control(0x40 + scalar.value, modifiers)
        case 0x80..<0xA0: nil
        default: Key(Character(scalar), modifiers)
        }
    }

    private static func control(_ value: UInt32, _ modifiers: Key.Modifiers) -> Key? {
        Unicode.Scalar(value).map { Key(Character($0), modifiers.union(.control)) }
    }

    /// The key that sends `ESC O` and this.
    static func singleShift(_ byte: UInt8) -> Key? {
        byte == UInt8(ascii: "M") ? Key(.enter) : letter(byte).map { Key($0) }
    }

    /// The key that sends `ESC [ [` and this.
    static func console(_ byte: UInt8) -> Key? {
        (UInt8(ascii: "A")...UInt8(ascii: "E")).contains(byte)
            ? Key(.function(Int(byte - UInt8(ascii: "A")) + 1)) : nil
    }

    /// The key that sends `ESC [`, parameters and a final byte.
    static func control(_ final: UInt8, _ parameters: [UInt8]) -> Key? {
        let numbers = parameters.split(
            separator: UInt8(ascii: ";"),
            omittingEmptySubsequences: false
        )
        .map(number)
        guard let first = numbers.first ?? 1 else { return nil }
        guard let modifiers = numbers.count > 1 ? held(numbers[1]) : [] else { return nil }
        switch final {
        case UInt8(ascii: "Z"): return Key(.tab, .shift)
        case UInt8(ascii: "u"): return character(first, modifiers)
        case UInt8(ascii: "~"):
            // As xterm sends what it has no other sequence for: modifyOtherKeys.
            if first == 27, numbers.count == 3 {
                return numbers[2].flatMap { character($0, modifiers) }
            }
            return tilde(first).map { Key($0, modifiers) }
        default: return letter(final).map { Key($0, modifiers) }
        }
    }

    /// A parameter, which ends at a colon; 1 when it is left out, `nil` when it is no number.
    private static func number(_ digits: some Sequence<UInt8>) -> UInt32? {
        let digits = digits.prefix { $0 != UInt8(ascii: ":") }
        return digits.isEmpty ? 1 : UInt32(String(decoding: digits, as: UTF8.self))
    }

    private static func held(_ parameter: UInt32?) -> Key.Modifiers? {
        guard let parameter, (1...256).contains(parameter) else { return nil }
        let bits = UInt8(parameter - 1)
        // Meta, the fourth bit, is Alt; the locks say nothing.
        return Key.Modifiers(rawValue: bits & 7).union(bits & 32 != 0 ? .alt : [])
    }

    private static func character(_ value: UInt32, _ modifiers: Key.Modifiers) -> Key? {
        switch value {
        case 27: return Key(.escape, modifiers)
        case 8: return Key(.backspace, modifiers)
        case 9: return Key(.tab, modifiers)
        case 13: return Key(.enter, modifiers)
        case 127: return Key(.backspace, modifiers)
        case 0..<32, 0x80..<0xA0: return nil
        default:
            guard let scalar = Unicode.Scalar(value) else { return nil }
            // For keys without a character kitty uses what is private.
            guard !(0xE000...0xF8FF).contains(value) else { return nil }
            return Key(Character(scalar), modifiers)
        }
    }

    private static func letter(_ byte: UInt8) -> Key.Code? {
        switch byte {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "P")...UInt8(ascii: "S"): .function(Int(byte - UInt8(ascii: "P")) + 1)
        default: nil
        }
    }

    private static func tilde(_ number: UInt32) -> Key.Code? {
        switch number {
        case 1, 7: .home
        case 2: .insert
        case 3: .delete
        case 4, 8: .end
        case 5: .pageUp
        case 6: .pageDown
        case 11...15: .function(Int(number) - 10)
        case 17...21: .function(Int(number) - 11)
        case 23...26: .function(Int(number) - 12)
        case 28, 29: .function(Int(number) - 13)
        case 31...34: .function(Int(number) - 14)
        default: nil
        }
    }
}
