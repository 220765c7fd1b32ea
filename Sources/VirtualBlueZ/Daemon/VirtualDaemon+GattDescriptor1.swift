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
                .init("Handle", "q"),
            ],
            values: handle(descriptor.handle).merging([
                "UUID": .string(descriptor.uuid),
                "Characteristic": .objectPath(path.parent ?? path),
                "Value": .bytes([]),
            ]) { $1 }
        )
    }

    private func read(
        _ descriptor: VirtualDescriptor,
        of id: DeviceID,
        _ characteristic: VirtualCharacteristic,
        at path: ObjectPath,
        _ call: MethodCall
    ) {
        guard device(id)?.isConnected == true else { return call.fail(.notConnected) }
        guard !joinRead(descriptor.handle, of: id, from: 0, call) else { return }
        guard descriptor.flags.isReadable else {
            return call.fail(ATTCode.readNotPermitted.reply)
        }
        begin(
            operation(.read, descriptor, of: id, at: path, call) { daemon, number in
                switch descriptor.source {
                case .clientConfiguration:
                    let device = daemon.device(id)
                    let isOn = device?.subscribers[characteristic.handle]?.isEmpty == false
                    let bits: UInt8 = characteristic.flags.hasNotify ? 1 : 2
                    daemon.respond(number, .success([isOn ? bits : 0, 0]))
                case .application(let application, let object):
                    let options = Value.properties(daemon.requestOptions(of: id, 0))
                    daemon.ask(application, at: object, [options], for: number)
                }
            }
        )
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
        let value = Value.bytes(call.arguments.first?.bytes ?? [])
        begin(
            operation(.write, descriptor, of: id, at: path, call) { daemon, number in
                let options = Value.properties(daemon.requestOptions(of: id, 0))
                daemon.ask(application, at: object, [value, options], for: number)
            }
        )
    }

    private func operation(
        _ request: ATTCode.Request,
        _ descriptor: VirtualDescriptor,
        of id: DeviceID,
        at path: ObjectPath,
        _ call: MethodCall,
        send: @escaping @Sendable (isolated VirtualDaemon, Int) -> Void
    ) -> Operation {
        Operation(
            device: id,
            handle: descriptor.handle,
            request: request,
            call: call,
            path: path,
            interface: Self.descriptor1,
            application: descriptor.source.application,
            send: send
        )
    }
}
