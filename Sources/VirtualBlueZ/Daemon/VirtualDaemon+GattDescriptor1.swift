internal import DBus

/// GattDescriptor1, as a central sees it.
///
/// Source: BlueZ, doc/gatt-api.txt.
extension VirtualDaemon {
    private static let descriptor1 = "org.bluez.GattDescriptor1"

    func gattDescriptor(
        _ descriptor: VirtualDescriptor,
        of id: DeviceID,
        _ characteristic: VirtualCharacteristic,
        at path: ObjectPath
    ) -> ExportedInterface {
        ExportedInterface(
            Self.descriptor1,
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
            ],
            values: [
                "UUID": .string(descriptor.uuid),
                "Characteristic": .objectPath(path.parent ?? path),
                "Value": .bytes([]),
            ]
        )
    }

    private func read(
        _ descriptor: VirtualDescriptor,
        of id: DeviceID,
        _ characteristic: VirtualCharacteristic,
        at path: ObjectPath,
        _ call: MethodCall
    ) {
        guard let device = device(id) else { return }
        guard device.isConnected else { return call.fail(.notConnected) }
        guard !isBusy(descriptor.handle, of: id, .read) else { return call.fail(.inProgress) }
        guard descriptor.flags.isReadable else {
            return call.fail(ATTCode.readNotPermitted.reply)
        }
        switch descriptor.source {
        case .clientConfiguration:
            let isOn = device.subscribers[characteristic.handle]?.isEmpty == false
            let bits: UInt8 = characteristic.flags.hasNotify ? 1 : 2
            let value = Value.bytes([isOn ? bits : 0, 0])
            change(["Value": value], of: Self.descriptor1, at: path)
            call.reply([value])
        case .application(let application, let object):
            let operation = operation(.read, descriptor, of: id, at: path, application, call)
            begin(operation, at: object, [.properties(requestOptions(of: id, 0))])
        }
    }

    private func write(
        _ descriptor: VirtualDescriptor,
        of id: DeviceID,
        at path: ObjectPath,
        _ call: MethodCall
    ) {
        guard device(id)?.isConnected == true else { return call.fail(.notConnected) }
        guard !isBusy(descriptor.handle, of: id, .write) else { return call.fail(.inProgress) }
        // The client configuration is written by StartNotify alone.
        guard descriptor.flags.isWritable,
            case .application(let application, let object) = descriptor.source
        else { return call.fail(ATTCode.writeNotPermitted.reply) }
        let operation = operation(.write, descriptor, of: id, at: path, application, call)
        let value = Value.bytes(call.arguments.first?.bytes ?? [])
        begin(operation, at: object, [value, .properties(requestOptions(of: id, 0))])
    }

    private func operation(
        _ request: ATTCode.Request,
        _ descriptor: VirtualDescriptor,
        of id: DeviceID,
        at path: ObjectPath,
        _ application: RegisteredApplication.ID,
        _ call: MethodCall
    ) -> Operation {
        Operation(
            device: id,
            handle: descriptor.handle,
            request: request,
            call: call,
            path: path,
            interface: Self.descriptor1,
            application: application
        )
    }
}
