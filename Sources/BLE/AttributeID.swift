/// Identifies a characteristic of a peer by the UUIDs of the characteristic and its service.
public struct AttributeID: Hashable, Sendable {
    /// The service's UUID.
    public let service: BluetoothUUID

    /// The characteristic's UUID.
    public let characteristic: BluetoothUUID

    /// Creates an identifier.
    ///
    /// - Parameters:
    ///   - service: the service's UUID.
    ///   - characteristic: the characteristic's UUID.
    public init(service: BluetoothUUID, characteristic: BluetoothUUID) {
        self.service = service
        self.characteristic = characteristic
    }
}

extension AttributeID: CustomStringConvertible {
    /// The characteristic's UUID, then the service's.
    public var description: String { "characteristic \(characteristic) of service \(service)" }
}
