internal import BLE

/// The service of dIM: names and properties.
///
/// Source: Docs/Wire.md, dIM.
enum RelayService {
    /// The service.
    static let uuid: BluetoothUUID = "D6B52A44-E586-4502-9F98-4799C8B95C86"

    /// Where packets are notified.
    static let packets = AttributeID(
        service: uuid,
        characteristic: "54C89B72-F7EE-4A0A-8382-7367C3E151A5"
    )

    /// What is published.
    static let description = GATTService(
        uuid: uuid,
        characteristics: [
            GATTCharacteristic(uuid: packets.characteristic, properties: [.write, .notify])
        ]
    )

    /// Whether a device that has these services can be heard.
    static func isNode(_ services: [GATTService]) -> Bool {
        services.contains { service in
            service.uuid == uuid
                && service.characteristics.contains {
                    $0.uuid == packets.characteristic && $0.properties.contains(.notify)
                }
        }
    }
}
