/// The description of a primary service, to publish or as it was found.
public struct GATTService: Hashable, Sendable {
    /// Its name.
    public let uuid: BluetoothUUID

    /// What it consists of, in order; each UUID once.
    public let characteristics: [GATTCharacteristic]

    /// The description of a primary service.
    ///
    /// - Parameters:
    ///   - uuid: its name.
    ///   - characteristics: what it consists of, in order; each UUID once.
    public init(uuid: BluetoothUUID, characteristics: [GATTCharacteristic]) {
        self.uuid = uuid
        self.characteristics = characteristics
    }

    /// The characteristic of a name.
    ///
    /// - Parameter uuid: the characteristic's name.
    /// - Returns: its description; `nil` when the service has none of that name.
    public func characteristic(_ uuid: BluetoothUUID) -> GATTCharacteristic? {
        characteristics.first { $0.uuid == uuid }
    }
}
