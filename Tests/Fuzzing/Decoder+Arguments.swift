import ArgumentParser
import BLE
import RadioCLI

/// The words behind a command's name, one a line.
@Sendable func decodeArguments(_ input: UnsafeRawBufferPointer) {
    let line = String(decoding: input, as: UTF8.self)
    let words = line.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    _ = try? RadioOptions.parse(words)
    for word in words {
        if let duration = try? Duration(argument: word) {
            precondition(duration > .zero && duration <= .seconds(86_400))
        }
        if let range = try? ClosedRange<RSSI>(argument: word) {
            precondition(range.lowerBound <= range.upperBound)
        }
        if let address = try? BluetoothAddress(argument: word) {
            precondition(BluetoothAddress("\(address)") != nil)
        }
        if let uuid = BluetoothUUID(word) { precondition(BluetoothUUID("\(uuid)") == uuid) }
    }
}
