internal import BLE
internal import BLEDBus

/// A descriptor of a remote device; also what an application shows of its own.
///
/// Source: BlueZ, doc/org.bluez.GattDescriptor.rst.
struct GattDescriptor1 {
    static let interface = "org.bluez.GattDescriptor1"

    let path: ObjectPath
    var properties = PropertyMap()

    var uuid: BluetoothUUID? { properties["UUID"]?.string.flatMap(BluetoothUUID.init) }

    var characteristic: ObjectPath? { properties["Characteristic"]?.objectPath }

    var readValue: Message {
        .bluez(path, Self.interface, "ReadValue", [.properties([:])])
    }

    func writeValue(_ value: [UInt8]) -> Message {
        .bluez(path, Self.interface, "WriteValue", [.bytes(value), .properties([:])])
    }

    /// A descriptor to export, whose value stays the same.
    ///
    /// - Parameters:
    ///   - descriptor: its description.
    ///   - characteristic: the object of its characteristic.
    /// - Returns: what its object is exported with.
    static func exported(
        _ descriptor: GATTDescriptor,
        of characteristic: ObjectPath
    ) -> ExportedInterface {
        let value = descriptor.value
        return ExportedInterface(
            interface,
            methods: [
                .init(
                    "ReadValue",
                    arguments: [.init("options", "a{sv}")],
                    results: [.init("value", "ay")]
                ) { call in
                    let offset = Int(call.options["offset"]?.uint16 ?? 0)
                    guard offset <= value.count else {
                        return call.fail(BlueZError.reply(for: .invalidOffset))
                    }
                    call.reply([.bytes(Array(value.dropFirst(offset)))])
                }
            ],
            properties: [
                .init("UUID", "s"), .init("Characteristic", "o"), .init("Flags", "as"),
            ],
            values: [
                "UUID": .string(descriptor.uuid.longText.lowercased()),
                "Characteristic": .objectPath(characteristic),
                "Flags": .strings(["read"]),
            ]
        )
    }
}
