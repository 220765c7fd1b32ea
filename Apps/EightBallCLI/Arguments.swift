internal import ArgumentParser
public import BLE

extension Duration {
    /// A duration from a command line.
    ///
    /// - Parameter argument: seconds, with up to three decimals: `10`, `2.5`, `10s`.
    /// - Throws: `ValidationError` for anything else, and for more than a day.
    public init(argument: String) throws {
        let digits = argument.hasSuffix("s") ? String(argument.dropLast()) : argument
        guard let seconds = Double(digits), seconds > 0, seconds <= 86_400 else {
            throw ValidationError("'\(argument)' is no number of seconds; write 10 or 2.5")
        }
        self = .milliseconds(Int((seconds * 1000).rounded(.up)))
    }
}

extension ClosedRange<RSSI> {
    /// A range of strengths from a command line.
    ///
    /// - Parameter argument: the faintest and the loudest in dBm, `-80..-20`.
    /// - Throws: `ValidationError` for anything else, and for what no controller reports.
    public init(argument: String) throws {
        let ends = argument.split(separator: ".", omittingEmptySubsequences: false)
        guard ends.count == 3, ends[1].isEmpty, let low = Int(ends[0]), let high = Int(ends[2]),
            (-127...20).contains(low), (low...20).contains(high)
        else {
            throw ValidationError("'\(argument)' is no range of dBm; write -80..-20")
        }
        self = RSSI(low)...RSSI(high)
    }
}

extension BluetoothAddress {
    /// An address from a command line.
    ///
    /// - Parameter argument: six pairs of hexadecimal digits, `00:AA:01:00:00:42`.
    /// - Throws: `ValidationError` for anything else.
    public init(argument: String) throws {
        guard let address = BluetoothAddress(argument) else {
            throw ValidationError("'\(argument)' is no address; write 00:AA:01:00:00:42")
        }
        self = address
    }
}
