internal import DBus

/// GattCharacteristic1, as a central sees it: reads and writes.
///
/// Source: BlueZ, doc/gatt-api.txt; src/gatt-client.c.
extension VirtualDaemon {
    static let characteristic1 = "org.bluez.GattCharacteristic1"

    func gattCharacteristic(
        _ characteristic: VirtualCharacteristic,
        of id: DeviceID,
        service: ObjectPath
    ) -> ExportedInterface {
        var values = handle(characteristic.handle).merging([
            "UUID": .string(characteristic.uuid),
            "Service": .objectPath(service),
            "Value": .bytes(characteristic.discoveredValue),
            "Flags": .strings(characteristic.flags.discovered),
            "MTU": .uint16(UInt16(limits.mtu)),
        ]) { $1 }
        if characteristic.flags.canNotify { values["Notifying"] = .bool(false) }
        if characteristic.flags.hasNotify { values["NotifyAcquired"] = .bool(false) }
        if characteristic.flags.hasWriteWithoutResponse { values["WriteAcquired"] = .bool(false) }
        return ExportedInterface(
            Self.characteristic1,
            methods: characteristicMethods(characteristic.handle, of: id),
            properties: [
                .init("UUID", "s"), .init("Service", "o"), .init("Value", "ay"),
                .init("Notifying", "b"), .init("Flags", "as"), .init("WriteAcquired", "b"),
                .init("NotifyAcquired", "b"), .init("MTU", "q"), .init("Handle", "q"),
            ],
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

    /// Where a read or a write begins, as the options say; `nil` when they say it with another type
    /// than a `q`.
    private static func offset(_ call: MethodCall) -> Int? {
        guard let offset = call.arguments.last?.properties?["offset"] else { return 0 }
        return offset.uint16.map(Int.init)
    }

    // MARK: - Reading

    private func readValue(_ handle: UInt16, of id: DeviceID, _ call: MethodCall) {
        guard let device = device(id), let characteristic = device.characteristic(handle),
            let path = device.path(of: handle)
        else { return }
        guard device.isConnected else { return call.fail(.notConnected) }
        guard let offset = Self.offset(call) else { return call.fail(.invalidArguments()) }
        guard !joinRead(handle, of: id, from: offset, call) else { return }
        guard characteristic.flags.isReadable else {
            return call.fail(ATTCode.readNotPermitted.reply)
        }
        guard !characteristic.flags.encryptsReads else { return failPairing(id, call) }
        let source = characteristic.source
        begin(
            Operation(
                device: id,
                handle: handle,
                request: .read,
                call: call,
                offset: offset,
                path: path,
                interface: Self.characteristic1,
                application: source.application
            ) { daemon, number in
                switch source {
                case .builtIn(let value):
                    daemon.respond(number, .success(value))
                case .application(let application, let object):
                    let options = Value.properties(daemon.requestOptions(of: id, offset))
                    daemon.ask(application, at: object, [options], for: number)
                }
            }
        )
    }

    // MARK: - Writing

    private func writeValue(_ handle: UInt16, of id: DeviceID, _ call: MethodCall) {
        guard let device = device(id), let characteristic = device.characteristic(handle) else {
            return
        }
        guard device.sockets[.write]?[handle] == nil else { return call.fail(.writeAcquired) }
        guard device.isConnected else { return call.fail(.notConnected) }
        guard !isBusy(handle, of: id, .write) else { return call.fail(.inProgress) }
        let value = call.arguments.first?.bytes ?? []
        let options = call.arguments.last?.properties ?? [:]
        if let type = options["type"], type.string == nil {
            return call.fail(.invalidArguments())
        }
        let procedure = WriteProcedure(type: options["type"]?.string, characteristic.flags)
        switch procedure {
        case .command:
            writeCommand(value, to: characteristic, of: id, call)
        case .request, .requestInPieces:
            guard let offset = Self.offset(call) else { return call.fail(.invalidArguments()) }
            let limit = procedure == .request ? limits.request : limits.requestInPieces
            guard value.count + offset <= limit else {
                return call.fail(ATTCode.invalidLength.reply)
            }
            writeRequest(value, at: offset, to: characteristic, of: id, call)
        case nil:
            call.fail(.notSupported)
        }
    }

    private func writeCommand(
        _ value: [UInt8],
        to characteristic: VirtualCharacteristic,
        of id: DeviceID,
        _ call: MethodCall
    ) {
        guard value.count <= limits.command else {
            return call.fail(.failed("Failed to initiate write"))
        }
        let command = CommandBurst.Command(call: call) { daemon in
            guard value.count <= daemon.limits.arrivingCommand, characteristic.flags.isWritable
            else { return }
            daemon.write(value, to: characteristic, of: id)
        }
        send(command, over: id)
    }

    private func writeRequest(
        _ value: [UInt8],
        at offset: Int,
        to characteristic: VirtualCharacteristic,
        of id: DeviceID,
        _ call: MethodCall
    ) {
        guard characteristic.flags.isWritable,
            let path = device(id)?.path(of: characteristic.handle)
        else { return call.fail(ATTCode.writeNotPermitted.reply) }
        guard !characteristic.flags.encryptsWrites else { return failPairing(id, call) }
        begin(
            Operation(
                device: id,
                handle: characteristic.handle,
                request: .write,
                call: call,
                path: path,
                interface: Self.characteristic1,
                application: characteristic.source.application
            ) { daemon, number in
                guard case .application(let application, let object) = characteristic.source else {
                    return daemon.respond(number, .success([]))
                }
                guard !characteristic.flags.hasWriteWithoutResponse else {
                    // The server acknowledges before the application has been asked.
                    daemon.write(value, to: characteristic, of: id)
                    return daemon.respond(number, .success([]))
                }
                daemon.limitTime(of: number)
                daemon.putIntoSocket(value, of: characteristic, at: object, from: id) {
                    daemon,
                    isSent in
                    guard !isSent else { return daemon.respond(number, .success([])) }
                    let options = Value.properties(daemon.requestOptions(of: id, offset))
                    daemon.ask(application, at: object, [.bytes(value), options], for: number)
                }
            }
        )
    }

    /// Writes to an application whose refusal reaches nobody.
    func write(
        _ value: [UInt8],
        to characteristic: VirtualCharacteristic,
        of id: DeviceID
    ) {
        travel(id) { $0.arrive(value, at: characteristic, from: id) }
    }

    private func arrive(
        _ value: [UInt8],
        at characteristic: VirtualCharacteristic,
        from id: DeviceID
    ) {
        guard case .application(let application, let object) = characteristic.source,
            faults.staleHandles[id.peer]?.contains(characteristic.handle) != true
        else { return }
        putIntoSocket(value, of: characteristic, at: object, from: id) { daemon, isSent in
            guard !isSent else { return }
            daemon.call(
                application.owner,
                at: object,
                Self.characteristic1,
                "WriteValue",
                [.bytes(value), .properties(daemon.requestOptions(of: id, 0))]
            ) { _, _ in }
        }
    }

    /// Without an agent pairing fails, and the link with it.
    private func failPairing(_ id: DeviceID, _ call: MethodCall) {
        if behavior.forgetsRequests { forgottenCalls.append(call) }
        losePeer(id, because: (.unknown, .unknown))
        if !behavior.forgetsRequests { call.fail(ATTCode.unlikelyError.reply) }
    }
}
