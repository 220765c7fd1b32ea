/// A primary service to publish, or one that was discovered.
public struct GATTService: Hashable, Sendable {
    /// The UUID.
    public let uuid: BluetoothUUID

    /// The characteristics in order; each UUID occurs once.
    public let characteristics: [GATTCharacteristic]

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - uuid: the UUID.
    ///   - characteristics: the characteristics in order; each UUID occurs once.
    public init(uuid: BluetoothUUID, characteristics: [GATTCharacteristic]) {
        self.uuid = uuid
        self.characteristics = characteristics
    }

    /// Returns the characteristic with a UUID.
    ///
    /// - Parameter uuid: the characteristic's UUID.
    /// - Returns: the characteristic; `nil` when the service has none with this UUID.
    public func characteristic(_ uuid: BluetoothUUID) -> GATTCharacteristic? {
        characteristics.first { $0.uuid == uuid }
    }
}
