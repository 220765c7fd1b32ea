/// The description of a characteristic, to publish or as it was found.
public struct GATTCharacteristic: Hashable, Sendable {
    /// Its name.
    public let uuid: BluetoothUUID

    /// What can be done with it.
    public let properties: CharacteristicProperties

    /// The description of a characteristic.
    ///
    /// - Parameters:
    ///   - uuid: its name.
    ///   - properties: what can be done with it.
    public init(uuid: BluetoothUUID, properties: CharacteristicProperties) {
        self.uuid = uuid
        self.properties = properties
    }
}
