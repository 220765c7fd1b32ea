/// A primary service to publish, or one that was discovered.
public struct GATTService: Hashable, Sendable {
    /// The UUID.
    public let uuid: BluetoothUUID

    /// The characteristics in order.
    public let characteristics: [GATTCharacteristic]

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - uuid: the UUID.
    ///   - characteristics: the characteristics in order.
    public init(uuid: BluetoothUUID, characteristics: [GATTCharacteristic]) {
        self.uuid = uuid
        self.characteristics = characteristics
    }

    /// Returns the first characteristic with a UUID.
    ///
    /// - Parameter uuid: the characteristic's UUID.
    /// - Returns: the characteristic; `nil` when the service has none with this UUID.
    public func characteristic(_ uuid: BluetoothUUID) -> GATTCharacteristic? {
        characteristics.first { $0.uuid == uuid }
    }
}

extension GATTService: CustomStringConvertible {
    /// The UUID and the characteristics: `180F: 2A19 (read, notify)`.
    public var description: String {
        let list = characteristics.map(\.description).joined(separator: ", ")
        return list.isEmpty ? "\(uuid)" : "\(uuid): \(list)"
    }
}

extension Sequence<GATTService> {
    /// The characteristics of all these services with their identifiers, in order.
    ///
    /// Those that share both UUIDs differ in ``AttributeID/instance``.
    public var attributes: [(id: AttributeID, characteristic: GATTCharacteristic)] {
        var counts: [AttributeID: Int] = [:]
        return flatMap { service in
            service.characteristics.map { characteristic in
                let first = AttributeID(service: service.uuid, characteristic: characteristic.uuid)
                let instance = counts[first, default: 0]
                counts[first] = instance + 1
                let id = AttributeID(
                    service: service.uuid,
                    characteristic: characteristic.uuid,
                    instance: instance
                )
                return (id, characteristic)
            }
        }
    }

    /// Returns a characteristic.
    ///
    /// - Parameter id: its identifier.
    /// - Returns: the characteristic; `nil` when none of these services has it.
    public subscript(_ id: AttributeID) -> GATTCharacteristic? {
        var instance = 0
        for service in self where service.uuid == id.service {
            for characteristic in service.characteristics
            where characteristic.uuid == id.characteristic {
                if instance == id.instance { return characteristic }
                instance += 1
            }
        }
        return nil
    }
}
