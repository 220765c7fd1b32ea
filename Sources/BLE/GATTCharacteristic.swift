/// A characteristic to publish, or one that was discovered.
public struct GATTCharacteristic: Hashable, Sendable {
    /// The UUID.
    public let uuid: BluetoothUUID

    /// How the value can be used.
    public let properties: CharacteristicProperties

    /// Creates a characteristic.
    ///
    /// - Parameters:
    ///   - uuid: the UUID.
    ///   - properties: how the value can be used.
    public init(uuid: BluetoothUUID, properties: CharacteristicProperties) {
        self.uuid = uuid
        self.properties = properties
    }
}
