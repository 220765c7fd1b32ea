/// Which characteristic of which service.
public struct AttributeID: Hashable, Sendable {
    /// The service's name.
    public let service: BluetoothUUID

    /// The characteristic's name.
    public let characteristic: BluetoothUUID

    /// A characteristic of a service.
    ///
    /// - Parameters:
    ///   - service: the service's name.
    ///   - characteristic: the characteristic's name.
    public init(service: BluetoothUUID, characteristic: BluetoothUUID) {
        self.service = service
        self.characteristic = characteristic
    }
}

extension AttributeID: CustomStringConvertible {
    /// The characteristic's name, then the service's.
    public var description: String { "characteristic \(characteristic) of service \(service)" }
}
