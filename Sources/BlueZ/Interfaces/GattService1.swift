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
    static func exported(_ uuid: BluetoothUUID) -> ExportedInterface {
        ExportedInterface(
            interface,
            properties: [.init("UUID", "s"), .init("Primary", "b")],
            values: ["UUID": .string(uuid.longText.lowercased()), "Primary": .bool(true)]
        )
    }
}
