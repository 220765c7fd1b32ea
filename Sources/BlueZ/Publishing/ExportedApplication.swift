internal import BLE
internal import DBus

/// The objects through which bluetoothd serves and advertises one service.
///
/// | path | interfaces |
/// |---|---|
/// | `/ble/application0` | ObjectManager |
/// | `/ble/application0/service` | GattService1 |
/// | `/ble/application0/service/char0`, … | GattCharacteristic1 |
/// | `/ble/advertisement0` | LEAdvertisement1, ObjectManager (bluetoothd asks it too) |
struct ExportedApplication {
    let root: ObjectPath
    let advertisement: ObjectPath
    private let service: GATTService

    /// The paths of one application.
    ///
    /// - Parameters:
    ///   - service: what is served.
    ///   - number: unique on the connection, also among applications that are gone.
    init(_ service: GATTService, number: Int) {
        self.service = service
        root = Self.path("/ble", "application\(number)")
        advertisement = Self.path("/ble", "advertisement\(number)")
    }

    /// The object of a characteristic; `nil` when the service has none of that name.
    func path(of characteristic: BluetoothUUID) -> ObjectPath? {
        service.characteristics.firstIndex { $0.uuid == characteristic }
            .map { Self.path(servicePath, "char\($0)") }
    }

    private var servicePath: ObjectPath { Self.path(root, "service") }

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
    ///   - advertised: what the advertisement says.
    ///   - handler: called on the loop with each call on a characteristic, in wire order.
    ///   - release: called on the loop when bluetoothd ends the advertisement.
    /// - Throws: ``BusError/Code/invalidMessage`` for a value that can't travel.
    func export(
        on connection: isolated Connection,
        _ advertised: Advertisement,
        _ handler:
            @escaping @Sendable (
                BluetoothUUID, GattCharacteristic1.Operation, MethodCall
            ) -> Void,
        release: @escaping @Sendable (MethodCall) -> Void
    ) throws(BusError) {
        try connection.export([GattService1.exported(service.uuid)], at: servicePath)
        for (index, characteristic) in service.characteristics.enumerated() {
            let uuid = characteristic.uuid
            let exported = GattCharacteristic1.exported(characteristic, of: servicePath) {
                handler(uuid, $0, $1)
            }
            try connection.export([exported], at: Self.path(servicePath, "char\(index)"))
        }
        try connection.export(
            [LEAdvertisement1.exported(advertised, release: release)],
            at: advertisement
        )
        connection.exportObjectManager(at: root)
        connection.exportObjectManager(at: advertisement)
    }

    /// Takes all objects back.
    ///
    /// No signal is sent: bluetoothd is called.
    func unexport(on connection: isolated Connection) throws(BusError) {
        connection.unexportObjectManager(at: root)
        connection.unexportObjectManager(at: advertisement)
        for index in service.characteristics.indices {
            try connection.unexport(Self.path(servicePath, "char\(index)"))
        }
        try connection.unexport(servicePath)
        try connection.unexport(advertisement)
    }
}
