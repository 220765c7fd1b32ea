internal import BLEDBus

/// GattService1, GattCharacteristic1 and GattDescriptor1, as a central sees them.
///
/// Source: BlueZ, doc/gatt-api.txt; src/gatt-client.c.
extension DaemonBus {
    func gattService(
        _ service: VirtualService,
        device: ObjectPath
    ) -> ExportedInterface {
        ExportedInterface(
            InterfaceName.service1,
            properties: [
                .init("UUID", "s"), .init("Device", "o"), .init("Primary", "b"),
                .init("Includes", "ao"),
            ] + handleProperties,
            values: handle(service.handle).merging([
                "UUID": .string(service.uuid),
                "Device": .objectPath(device),
                "Primary": .bool(service.isPrimary),
                "Includes": .array(of: "o", []),
            ]) { $1 }
        )
    }

    func gattCharacteristic(
        _ characteristic: VirtualCharacteristic,
        of id: DeviceID,
        service: ObjectPath,
        mtu: Int
    ) -> ExportedInterface {
        var values = handle(characteristic.handle).merging([
            "UUID": .string(characteristic.uuid),
            "Service": .objectPath(service),
            "Value": .bytes(characteristic.discoveredValue),
            "Flags": .strings(characteristic.flags.discovered),
            "MTU": .uint16(UInt16(mtu)),
        ]) { $1 }
        if characteristic.flags.canNotify { values["Notifying"] = .bool(false) }
        if characteristic.flags.hasNotify { values["NotifyAcquired"] = .bool(false) }
        if characteristic.flags.hasWriteWithoutResponse { values["WriteAcquired"] = .bool(false) }
        return ExportedInterface(
            InterfaceName.characteristic1,
            methods: characteristicMethods(characteristic.handle, of: id),
            properties: [
                .init("UUID", "s"), .init("Service", "o"), .init("Value", "ay"),
                .init("Notifying", "b"), .init("Flags", "as"), .init("WriteAcquired", "b"),
                .init("NotifyAcquired", "b"), .init("MTU", "q"),
            ] + handleProperties,
            values: values
        )
    }

    private func characteristicMethods(
        _ handle: UInt16,
        of id: DeviceID
    ) -> [ExportedInterface.Method] {
        let socket: [(String, Signature)] = [("fd", "h"), ("mtu", "q")]
        return [
            method("ReadValue", [("options", "a{sv}")], returns: [("value", "ay")]) {
                $0.readValue(handle, of: id, $1)
            },
            method("WriteValue", [("value", "ay"), ("options", "a{sv}")]) {
                $0.writeValue(handle, of: id, $1)
            },
            method("AcquireWrite", [("options", "a{sv}")], returns: socket) {
                $0.acquireWrite(handle, of: id, $1)
            },
            method("AcquireNotify", [("options", "a{sv}")], returns: socket) {
                $0.acquireNotify(handle, of: id, $1)
            },
            method("StartNotify") { $0.startNotify(handle, of: id, $1) },
            method("StopNotify") { $0.stopNotify(handle, of: id, $1) },
        ]
    }

    func gattDescriptor(
        _ descriptor: VirtualDescriptor,
        of id: DeviceID,
        _ characteristic: VirtualCharacteristic,
        at path: ObjectPath
    ) -> ExportedInterface {
        ExportedInterface(
            InterfaceName.descriptor1,
            methods: [
                method("ReadValue", [("options", "a{sv}")], returns: [("value", "ay")]) {
                    $0.read(descriptor, of: id, characteristic, at: path, $1)
                },
                method("WriteValue", [("value", "ay"), ("options", "a{sv}")]) {
                    $0.write(descriptor, of: id, at: path, $1)
                },
            ],
            properties: [
                .init("UUID", "s"), .init("Characteristic", "o"), .init("Value", "ay"),
            ] + handleProperties,
            values: handle(descriptor.handle).merging([
                "UUID": .string(descriptor.uuid),
                "Characteristic": .objectPath(path.parent ?? path),
                "Value": .bytes([]),
            ]) { $1 }
        )
    }

    var handleProperties: [ExportedInterface.Property] {
        behavior.showsHandles ? [.init("Handle", "q")] : []
    }

    /// The property of an attribute's object that says where it stands in the table.
    func handle(_ handle: UInt16) -> [String: Value] {
        behavior.showsHandles ? ["Handle": .uint16(handle)] : [:]
    }
}
