internal import BLE
internal import BLEDBus

/// The objects through which bluetoothd serves services.
///
/// | path | interfaces |
/// |---|---|
/// | `/ble/application0` | ObjectManager |
/// | `/ble/application0/service0`, … | GattService1 |
/// | `/ble/application0/service0/char0`, … | GattCharacteristic1 |
/// | `/ble/application0/service0/char0/desc0`, … | GattDescriptor1 |
struct ExportedApplication {
    /// A characteristic and its object.
    private struct Characteristic {
        let id: AttributeID
        let path: ObjectPath
        let service: ObjectPath
        let description: GATTCharacteristic

        var descriptors: [(path: ObjectPath, descriptor: GATTDescriptor)] {
            description.descriptors.enumerated().map {
                (ExportedApplication.path(path, "desc\($0.offset)"), $0.element)
            }
        }
    }

    let root: ObjectPath
    private let hasSockets: Bool
    private let services: [(path: ObjectPath, uuid: BluetoothUUID)]
    private let characteristics: [Characteristic]
    private let paths: [AttributeID: ObjectPath]

    /// The paths of one application.
    ///
    /// - Parameters:
    ///   - services: what is served.
    ///   - hasSockets: whether what can be notified is, through a socket for each central.
    ///   - number: unique on the connection, also among applications that are gone.
    init(_ services: [GATTService], hasSockets: Bool, number: Int) {
        self.hasSockets = hasSockets
        let root = Self.path("/ble", "application\(number)")
        self.root = root
        let paths = services.indices.map { Self.path(root, "service\($0)") }
        self.services = Array(zip(paths, services.map(\.uuid)))
        let places = zip(paths, services).flatMap { path, service in
            service.characteristics.indices.map { (path, Self.path(path, "char\($0)")) }
        }
        characteristics = zip(places, services.attributes).map { place, attribute in
            Characteristic(
                id: attribute.id,
                path: place.1,
                service: place.0,
                description: attribute.characteristic
            )
        }
        self.paths = Dictionary(uniqueKeysWithValues: characteristics.map { ($0.id, $0.path) })
    }

    /// The object of a characteristic; `nil` when there is none of that name.
    func path(of characteristic: AttributeID) -> ObjectPath? { paths[characteristic] }

    private static func path(_ parent: ObjectPath, _ name: String) -> ObjectPath {
        do {
            return try parent.appending(name)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// Exports all objects.
    ///
    /// - Parameters:
    ///   - connection: where.
    ///   - handles: which handles bluetoothd is asked for; `nil` for any.
    ///   - handler: called on the loop with each call on a characteristic, in wire order.
    /// - Throws: ``BusError/Code/invalidMessage`` for a value that can't travel.
    func export(
        on connection: isolated Connection,
        _ handles: ServiceHandles?,
        _ handler:
            @escaping @Sendable (
                AttributeID, GattCharacteristic1.Operation, MethodCall
            ) -> Void
    ) throws(BusError) {
        for (index, service) in services.enumerated() {
            let exported = GattService1.exported(service.uuid, handle: handles?.services[index])
            try connection.export([exported], at: service.path)
        }
        for characteristic in characteristics {
            let id = characteristic.id
            let canNotify = characteristic.description.properties.contains(.notify)
            let exported = GattCharacteristic1.exported(
                characteristic.description,
                of: characteristic.service,
                hasSockets: hasSockets && canNotify
            ) {
                handler(id, $0, $1)
            }
            try connection.export([exported], at: characteristic.path)
            for (path, descriptor) in characteristic.descriptors {
                let exported = GattDescriptor1.exported(descriptor, of: characteristic.path)
                try connection.export([exported], at: path)
            }
        }
        connection.exportObjectManager(at: root)
    }

    /// Takes all objects back.
    ///
    /// No signal is sent: bluetoothd is called.
    func unexport(on connection: isolated Connection) throws(BusError) {
        connection.unexportObjectManager(at: root)
        for characteristic in characteristics {
            for (path, _) in characteristic.descriptors { try connection.unexport(path) }
            try connection.unexport(characteristic.path)
        }
        for service in services { try connection.unexport(service.path) }
    }
}
