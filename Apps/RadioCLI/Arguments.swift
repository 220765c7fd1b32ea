internal import ArgumentParser
public import BLE

extension Duration {
    /// A duration from a command line.
    ///
    /// - Parameter argument: a number with its unit, `250ms` or `2.5s`; without one it is seconds.
    /// - Throws: `ValidationError` for anything else, and for more than a day.
    public init(argument: String) throws {
        let (digits, unit): (Substring, Double) =
            if argument.hasSuffix("ms") {
                (argument.dropLast(2), 1)
            } else if argument.hasSuffix("s") {
                (argument.dropLast(), 1000)
            } else {
                (argument[...], 1000)
            }
        guard let number = Double(digits), number > 0, number.isFinite else {
            throw ValidationError("'\(argument)' is not a time; write 250ms, 5s")
        }
        guard number * unit <= 86_400_000 else {
            throw ValidationError("'\(argument)' is more than a day; write 86400s or less")
        }
        self = .milliseconds(Int((number * unit).rounded(.up)))
    }
}

extension ClosedRange<RSSI> {
    /// A range of signal strengths from a command line.
    ///
    /// - Parameter argument: the weakest and the strongest in dBm, `-90..-40`.
    /// - Throws: `ValidationError` for anything else, and for what no controller reports.
    public init(argument: String) throws {
        let ends = argument.split(separator: ".", omittingEmptySubsequences: false)
        guard ends.count == 3, ends[1].isEmpty, let low = Int(ends[0]), let high = Int(ends[2]),
            (-127...20).contains(low), (low...20).contains(high)
        else {
            throw ValidationError("'\(argument)' is not a range; write -90..-40")
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
            throw ValidationError("'\(argument)' is not an address; write 00:AA:01:00:00:42")
        }
        self = address
    }
}
