/// A characteristic to publish, or one that was discovered.
public struct GATTCharacteristic: Hashable, Sendable {
    /// The UUID.
    public let uuid: BluetoothUUID

    /// How the value can be used.
    public let properties: CharacteristicProperties

    /// The descriptors in order.
    public let descriptors: [GATTDescriptor]

    /// Creates a characteristic.
    ///
    /// - Parameters:
    ///   - uuid: the UUID.
    ///   - properties: how the value can be used.
    ///   - descriptors: the descriptors in order; each UUID occurs once.
    public init(
        uuid: BluetoothUUID,
        properties: CharacteristicProperties,
        descriptors: [GATTDescriptor] = []
    ) {
        self.uuid = uuid
        self.properties = properties
        self.descriptors = descriptors
    }
}

extension GATTCharacteristic: CustomStringConvertible {
    /// The UUID and the properties: `2A19 (read, notify)`.
    public var description: String { "\(uuid) (\(properties))" }
}
