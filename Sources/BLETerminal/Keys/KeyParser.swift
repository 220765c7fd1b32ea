/// Turns the bytes that a terminal sends into keys and pasted text.
///
/// ```swift
/// var parser = KeyParser()
/// parser.receive([0x1B, 0x5B, 0x41])  // [.key(Key(.up))]
/// ```
///
/// The bytes may come in any parts. What it doesn't know is dropped.
///
/// Source: ECMA-48, 5.4; xterm, Control Sequences.
public struct KeyParser: Sendable {
    /// What it waits for.
    public enum Wait: Sendable {
        /// The rest of a sequence that Escape has begun, or nothing, if that was the key. Some 50 ms are usual.
        case sequence
        /// The rest of what is pasted; some seconds.
        case paste
    }

    /// How many bytes of one paste are kept.
    public let pasteLimitBytes: Int

    enum State {
        case ground
        case escape
        /// After `ESC O`.
        case singleShift
        /// After `ESC [`.
        case control(parameters: [UInt8])
        /// After `ESC [ [`, as the console of Linux sends F1 to F5.
        case console
        /// After the introducer of a string that is not for us, as a reply to a question of another program.
        case string(introducer: UInt8, byteCount: Int)
        /// `matched` bytes of the end have come, and are not among the bytes.
        case paste(isCut: Bool, matched: Int)
    }

    private var state = State.ground
    /// What has come of a paste; not in the state, where it would be copied with each byte.
    private var pasted: [UInt8] = []
    private var decoder = UTF8Decoder()

    /// Creates a parser.
    ///
    /// - Parameter pasteLimitBytes: how many bytes of one paste are kept.
    public init(pasteLimitBytes: Int = 65_536) {
        self.pasteLimitBytes = pasteLimitBytes
    }

    /// What it waits for; `nil` when it has reported all it received.
    ///
    /// Who feeds it calls ``timeOut()`` when nothing was received for a while.
    public var wait: Wait? {
        switch state {
        case .ground: nil
        case .escape, .singleShift, .control, .console, .string: .sequence
        case .paste: .paste
        }
    }

    /// Takes bytes.
    ///
    /// - Parameter bytes: as they were read.
    /// - Returns: what they say, in their order.
    public mutating func receive(_ bytes: some Sequence<UInt8>) -> [Input] {
        var inputs: [Input] = []
        for byte in bytes { receive(byte, &inputs) }
        return inputs
    }

    /// Ends what it waits for: nothing was received for a while.
    ///
    /// - Returns: what was meant: Escape, a key with Alt, or a paste without an end.
    public mutating func timeOut() -> [Input] {
        defer { state = .ground }
        switch state {
        case .ground: return []
        case .escape: return [.key(Key(.escape))]
        case .singleShift: return [.key(Key("O", .alt))]
        case .control(let parameters): return parameters.isEmpty ? [.key(Key("[", .alt))] : []
        case .console: return []
        case .string(let introducer, let byteCount):
            return byteCount == 0
                ? [.key(Key(Character(Unicode.Scalar(introducer)), .alt))] : []
        case .paste(let isCut, _): return [.paste(endPaste(isCut))]
        }
    }

    private mutating func receive(_ byte: UInt8, _ inputs: inout [Input]) {
        switch state {
        case .ground: receiveInGround(byte, [], &inputs)
        case .escape: receiveAfterEscape(byte, &inputs)
        case .singleShift:
            end(SequenceKey.singleShift(byte), orAgain: byte, &inputs)
        case .control(let parameters):
            receiveInControl(byte, after: parameters, &inputs)
        case .console:
            end(SequenceKey.console(byte), orAgain: byte, &inputs)
        case .string(let introducer, let byteCount):
            switch byte {
            case 0x07, 0x18, 0x1A: state = .ground
            // With what follows it ends the string; if that is no `\`, it begins a key.
            case 0x1B: state = .escape
            default:
                let isTooLong = byteCount >= Self.stringLimitBytes
                state =
                    isTooLong
                    ? .ground : .string(introducer: introducer, byteCount: byteCount + 1)
            }
        case .paste(let isCut, let matched):
            receiveInPaste(byte, isCut, matched, &inputs)
        }
    }

    private mutating func receiveInGround(
        _ byte: UInt8,
        _ modifiers: Key.Modifiers,
        _ inputs: inout [Input]
    ) {
        guard byte != 0x1B else {
            decoder.reset()
            state = .escape
            return
        }
        guard let scalar = decoder.receive(byte),
            let key = SequenceKey.plain(scalar, modifiers)
        else { return }
        inputs.append(.key(key))
    }

    private mutating func receiveAfterEscape(_ byte: UInt8, _ inputs: inout [Input]) {
        switch byte {
        case 0x1B: inputs.append(.key(Key(.escape)))
        case UInt8(ascii: "O"): state = .singleShift
        case UInt8(ascii: "["): state = .control(parameters: [])
        // The introducers of DCS, OSC, PM and APC; the end of a string.
        case UInt8(ascii: "P"), UInt8(ascii: "]"), UInt8(ascii: "^"), UInt8(ascii: "_"):
            state = .string(introducer: byte, byteCount: 0)
        case UInt8(ascii: "\\"): state = .ground
        case 0x80...:
            // Alt with a character of several bytes: they come as the character.
            state = .ground
            receiveInGround(byte, [], &inputs)
        default:
            state = .ground
            receiveInGround(byte, .alt, &inputs)
        }
    }

    private mutating func receiveInControl(
        _ byte: UInt8,
        after parameters: [UInt8],
        _ inputs: inout [Input]
    ) {
        switch byte {
        case 0x20...0x3F:
            // More than any key has: what follows is read up to its end, and dropped.
            let isTooLong = parameters.count >= Self.parameterLimitBytes
            state = .control(parameters: isTooLong ? parameters : parameters + [byte])
        case UInt8(ascii: "[") where parameters.isEmpty: state = .console
        case UInt8(ascii: "~") where parameters == Array("200".utf8):
            state = .paste(isCut: false, matched: 0)
        case 0x40...0x7E:
            let isTooLong = parameters.count >= Self.parameterLimitBytes
            end(isTooLong ? nil : SequenceKey.control(byte, parameters), orAgain: nil, &inputs)
        default: end(nil, orAgain: byte, &inputs)
        }
    }

    private mutating func receiveInPaste(
        _ byte: UInt8,
        _ wasCut: Bool,
        _ matched: Int,
        _ inputs: inout [Input]
    ) {
        if byte == Self.pasteEnd[matched] {
            guard matched + 1 == Self.pasteEnd.count else {
                state = .paste(isCut: wasCut, matched: matched + 1)
                return
            }
            state = .ground
            inputs.append(.paste(endPaste(wasCut)))
            return
        }
        var isCut = wasCut
        let isBeginning = byte == Self.pasteEnd[0]
        for byte in Self.pasteEnd[..<matched] + (isBeginning ? [] : [byte]) {
            if pasted.count < pasteLimitBytes { pasted.append(byte) } else { isCut = true }
        }
        state = .paste(isCut: isCut, matched: isBeginning ? 1 : 0)
    }

    private mutating func endPaste(_ isCut: Bool) -> Paste {
        defer { pasted = [] }
        return Paste(bytes: pasted, isCut: isCut)
    }

    /// Ends a sequence with a key, or, when it is none, with a byte that may be more than its end.
    private mutating func end(_ key: Key?, orAgain byte: UInt8?, _ inputs: inout [Input]) {
        state = .ground
        if let key {
            inputs.append(.key(key))
        } else if let byte, byte < 0x20 || byte >= 0x7F {
            receiveInGround(byte, [], &inputs)
        }
    }

    private static let pasteEnd = Array("\u{1B}[201~".utf8)
    private static let parameterLimitBytes = 32
    private static let stringLimitBytes = 4_096
}
