internal import BLE
internal import BLEDBus

/// A service of a remote device; also what an application shows of its own.
///
/// Source: BlueZ, doc/org.bluez.GattService.rst.
struct GattService1 {
    static let interface = "org.bluez.GattService1"

    let path: ObjectPath
    let properties: PropertyMap

    var uuid: BluetoothUUID? { properties["UUID"]?.string.flatMap(BluetoothUUID.init) }

    /// A primary service to export.
    ///
    /// - Parameters:
    ///   - uuid: its name.
    ///   - handle: the one that bluetoothd is asked for; `nil` for any.
    /// - Returns: what its object is exported with.
    static func exported(_ uuid: BluetoothUUID, handle: UInt16?) -> ExportedInterface {
        var values: [String: Value] = [
            "UUID": .string(uuid.longText.lowercased()), "Primary": .bool(true),
        ]
        if let handle { values["Handle"] = .uint16(handle) }
        return ExportedInterface(
            interface,
            properties: [.init("UUID", "s"), .init("Primary", "b"), .init("Handle", "q")],
            values: values
        )
    }
}
