/// Identifies a descriptor of a characteristic.
public struct DescriptorID: Hashable, Sendable {
    /// The characteristic that has the descriptor.
    public let characteristic: AttributeID

    /// The descriptor's UUID.
    public let descriptor: BluetoothUUID

    /// Creates an identifier.
    ///
    /// - Parameters:
    ///   - characteristic: the characteristic that has the descriptor.
    ///   - descriptor: the descriptor's UUID.
    public init(characteristic: AttributeID, descriptor: BluetoothUUID) {
        self.characteristic = characteristic
        self.descriptor = descriptor
    }
}

extension DescriptorID: CustomStringConvertible {
    /// The descriptor's UUID, then the characteristic.
    public var description: String { "descriptor \(descriptor) of \(characteristic)" }
}
