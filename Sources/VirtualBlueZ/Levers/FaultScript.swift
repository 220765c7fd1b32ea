internal import BLEDBus

/// What goes wrong when: levers of a ``VirtualWorld``, each at its time.
///
/// As a text it has a lever in each line, behind the time since the world's beginning; empty lines and
/// what follows `#` at a line's beginning say nothing:
///
/// ```
/// # a bad afternoon
/// 5s     SetLinkQuality 0 1 0.3 20
/// 1m     Kill
/// 1.5m   Start
/// 90s    FailCall org.bluez.Device1.Connect org.bluez.Error.Failed "Input/output error" 2
/// ```
///
/// A time has one of the units `ms`, `s`, `m`, `h`. Words are parted by blanks; what contains blanks,
/// or nothing, stands in double quotes. Levers are the methods of `VirtualBlueZ.World1`.
public struct FaultScript: Sendable {
    /// A lever and its time.
    public struct Step: Sendable, CustomStringConvertible {
        /// When, since the world's beginning.
        public let time: Duration

        /// The time and the lever, as they were written.
        public let description: String

        let lever: Lever
        let arguments: [Value]
    }

    /// The steps, the earliest first; those of the same time in the order in which they were added.
    public private(set) var steps: [Step] = []

    /// Whether it lets chance decide what is lost, so that the seed tells what happens.
    public var isRandom: Bool { steps.contains { $0.lever.name == "SetLinkQuality" } }

    /// Makes a script without steps.
    public init() {}

    /// Reads a script.
    ///
    /// - Parameter text: lines with a time, a lever and its arguments.
    /// - Throws: ``FaultScriptError`` for the first line that says something else.
    public init(_ text: String) throws(FaultScriptError) {
        // A carriage return before the end of a line is one character with it.
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let time = words.first, !time.hasPrefix("#") else { continue }
            let lever = line[time.endIndex...]
            do throws(FaultScriptError) {
                try add(String(lever), at: String(time))
            } catch {
                throw FaultScriptError("line \(index + 1): \(error.description)")
            }
        }
    }

    /// Adds a lever.
    ///
    /// - Parameters:
    ///   - lever: its name and arguments, `Disconnect 0 1`.
    ///   - time: when, `1.5s`.
    /// - Throws: ``FaultScriptError``, which says what is wrong.
    public mutating func add(_ lever: String, at time: String) throws(FaultScriptError) {
        guard let due = Self.duration(time) else {
            throw FaultScriptError("\"\(time)\" is no time, as 250ms, 5s, 1.5m and 2h are")
        }
        let words = try ScriptWords.split(lever)
        guard let name = words.first else {
            throw FaultScriptError("there is no lever behind \(time)")
        }
        guard let found = Lever.named(name) else {
            let names = Lever.all.map(\.name).joined(separator: ", ")
            throw FaultScriptError("\(name) is no lever; there are \(names)")
        }
        let arguments = try ScriptWords.values(Array(words.dropFirst()), of: found)
        let text = lever.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let step = Step(
            time: due,
            description: "\(time) \(text)",
            lever: found,
            arguments: arguments
        )
        let index = steps.firstIndex { $0.time > due } ?? steps.endIndex
        steps.insert(step, at: index)
    }

    /// Whether a word is a time.
    ///
    /// - Parameter word: the word, `1.5s`.
    /// - Returns: whether ``add(_:at:)`` takes it for one.
    public static func isTime(_ word: String) -> Bool { duration(word) != nil }

    private static func duration(_ text: String) -> Duration? {
        let units: [(String, Double)] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)]
        guard let (unit, factor) = units.first(where: { text.hasSuffix($0.0) }) else { return nil }
        let number = text.dropLast(unit.count)
        guard number.allSatisfy({ $0.isASCII && $0.isNumber || $0 == "." }),
            let value = Double(number), (0...1e12).contains(value * factor)
        else { return nil }
        return .milliseconds(value * factor)
    }
}
