internal import BLEDBus

/// Write commands that come one upon the other and go over several channels.
///
/// Of each three the second arrives last: 1 3 2 4 6 5, as a real daemon was seen to mix them.
struct CommandBurst: Sendable {
    /// One command.
    struct Command {
        let call: MethodCall
        let value: [UInt8]
        let target: VirtualCharacteristic
    }

    private var count = 0
    private var overtaken: Command?

    /// Whether a new one has not begun.
    var isEmpty: Bool { count == 0 }

    /// The command that is still on its way.
    var pending: Command? { overtaken }

    /// Takes the next command.
    ///
    /// - Returns: what arrives now, in order.
    mutating func take(_ command: Command) -> [Command] {
        count += 1
        if count == 2 {
            overtaken = command
            return []
        }
        defer {
            if count == 3 { self = CommandBurst() }
        }
        return [command] + [overtaken].compactMap(\.self)
    }
}
