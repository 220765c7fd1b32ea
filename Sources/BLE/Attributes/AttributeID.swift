/// Identifies a characteristic by its UUID and that of its service, on either side of a connection.
public struct AttributeID: Hashable, Sendable {
    /// The service's UUID.
    public let service: BluetoothUUID

    /// The characteristic's UUID.
    public let characteristic: BluetoothUUID

    /// Which of the characteristics with these two UUIDs, in the order of their handles; 0 for the
    /// first, and mostly the only one.
    public let instance: Int

    /// Creates an identifier.
    ///
    /// - Parameters:
    ///   - service: the service's UUID.
    ///   - characteristic: the characteristic's UUID.
    ///   - instance: which of several with the same two UUIDs, from 0 on.
    public init(service: BluetoothUUID, characteristic: BluetoothUUID, instance: Int = 0) {
        self.service = service
        self.characteristic = characteristic
        self.instance = instance
    }
}

extension AttributeID: CustomStringConvertible {
    /// The characteristic's UUID, then the service's.
    public var description: String {
        let number = instance == 0 ? "" : " (number \(instance + 1))"
        return "characteristic \(characteristic)\(number) of service \(service)"
    }
}
