internal import BLEDBus

/// Reads and writes of a peer's characteristics and descriptors.
///
/// Source: BlueZ, doc/gatt-api.txt; src/gatt-client.c.
extension VirtualDaemon {
    /// Where a read or a write begins, as the options say; `nil` when they say it with another type
    /// than a `q`.
    static func offset(_ call: MethodCall) -> Int? {
        guard let offset = call.arguments.last?.properties?["offset"] else { return 0 }
        return offset.uint16.map(Int.init)
    }

    // MARK: - Reading

    func readValue(_ handle: UInt16, of id: DeviceID, _ call: MethodCall) {
        guard let device = device(id), let characteristic = device.characteristic(handle),
            let path = device.path(of: handle)
        else { return }
        guard isConnected(id) else { return call.fail(.notConnected) }
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
                interface: InterfaceName.characteristic1,
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

    func read(
        _ descriptor: VirtualDescriptor,
        of id: DeviceID,
        _ characteristic: VirtualCharacteristic,
        at path: ObjectPath,
        _ call: MethodCall
    ) {
        guard isConnected(id) else { return call.fail(.notConnected) }
        guard let offset = Self.offset(call) else { return call.fail(.invalidArguments()) }
        guard !joinRead(descriptor.handle, of: id, from: offset, call) else { return }
        guard descriptor.flags.isReadable else {
            return call.fail(ATTCode.readNotPermitted.reply)
        }
        begin(
            operation(.read, descriptor, from: offset, of: id, at: path, call) { daemon, number in
                switch descriptor.source {
                case .clientConfiguration:
                    let device = daemon.device(id)
                    let isOn = device?.subscribers[characteristic.handle]?.isEmpty == false
                    let bits: UInt8 = characteristic.flags.hasNotify ? 1 : 2
                    daemon.respond(number, .success([isOn ? bits : 0, 0]))
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

    func writeValue(_ handle: UInt16, of id: DeviceID, _ call: MethodCall) {
        guard let device = device(id), let characteristic = device.characteristic(handle) else {
            return
        }
        guard device.sockets[.write]?[handle] == nil else { return call.fail(.writeAcquired) }
        guard isConnected(id) else { return call.fail(.notConnected) }
        guard operations.number(of: .write, for: handle, of: id) == nil else {
            return call.fail(.inProgress)
        }
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
            let limits = limits(of: id)
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
        guard value.count <= limits(of: id).command else {
            return call.fail(.failed("Failed to initiate write"))
        }
        let command = CommandBurst.Command(call: call, value: value, target: characteristic)
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
                interface: InterfaceName.characteristic1,
                application: characteristic.source.application
            ) { daemon, number in
                guard case .application(let application, let object) = characteristic.source else {
                    return daemon.respond(number, .success([]))
                }
                guard !characteristic.flags.hasWriteWithoutResponse else {
                    // The server acknowledges before the application has been asked.
                    daemon.write(value, at: offset, to: characteristic, of: id)
                    return daemon.respond(number, .success([]))
                }
                daemon.limitTime(of: number)
                daemon.putIntoSocket(value, of: characteristic, at: object, from: id) {
                    daemon,
                    outcome in
                    switch outcome {
                    case .sent: daemon.respond(number, .success([]))
                    case .refused(let code): daemon.respond(number, .failure(code))
                    case .withoutSocket:
                        let options = Value.properties(daemon.requestOptions(of: id, offset))
                        daemon.ask(application, at: object, [.bytes(value), options], for: number)
                    }
                }
            }
        )
    }

    /// Writes to an application whose refusal reaches nobody.
    func write(
        _ value: [UInt8],
        at offset: Int = 0,
        to characteristic: VirtualCharacteristic,
        of id: DeviceID
    ) {
        transmit(id) { $0.arrive(value, at: offset, of: characteristic, from: id) }
    }

    private func arrive(
        _ value: [UInt8],
        at offset: Int,
        of characteristic: VirtualCharacteristic,
        from id: DeviceID
    ) {
        guard case .application(let application, let object) = characteristic.source,
            !isStale(characteristic.handle, of: id)
        else { return }
        putIntoSocket(value, of: characteristic, at: object, from: id) { daemon, outcome in
            guard case .withoutSocket = outcome else { return }
            daemon.bus.call(
                application.owner,
                at: object,
                InterfaceName.characteristic1,
                "WriteValue",
                [.bytes(value), .properties(daemon.requestOptions(of: id, offset))]
            ) { _, _ in }
        }
    }

    func write(
        _ descriptor: VirtualDescriptor,
        of id: DeviceID,
        at path: ObjectPath,
        _ call: MethodCall
    ) {
        guard isConnected(id) else { return call.fail(.notConnected) }
        guard operations.number(of: .write, for: descriptor.handle, of: id) == nil else {
            return call.fail(.inProgress)
        }
        guard let offset = Self.offset(call) else { return call.fail(.invalidArguments()) }
        // The client configuration is written by StartNotify alone.
        guard descriptor.flags.isWritable,
            case .application(let application, let object) = descriptor.source
        else { return call.fail(ATTCode.writeNotPermitted.reply) }
        let value = call.arguments.first?.bytes ?? []
        guard value.count + offset <= limits(of: id).request else {
            return call.fail(ATTCode.invalidLength.reply)
        }
        begin(
            operation(.write, descriptor, from: offset, of: id, at: path, call) { daemon, number in
                let options = Value.properties(daemon.requestOptions(of: id, offset))
                daemon.ask(application, at: object, [.bytes(value), options], for: number)
            }
        )
    }

    func operation(
        _ request: ATTCode.Request,
        _ descriptor: VirtualDescriptor,
        from offset: Int,
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
            offset: offset,
            path: path,
            interface: InterfaceName.descriptor1,
            application: descriptor.source.application,
            send: send
        )
    }

    /// Without an agent pairing fails, and the link with it.
    private func failPairing(_ id: DeviceID, _ call: MethodCall) {
        if behavior.forgetsRequests { unansweredCalls.append(call) }
        endLink(id, because: (.unknown, .unknown))
        if !behavior.forgetsRequests { call.fail(ATTCode.unlikelyError.reply) }
    }

    // MARK: - The MTUs of links, and what follows from them
    //
    // Source: BlueZ, src/gatt-client.c, `characteristic_get_mtu`, `att_exchange`; src/shared/att.c, `bt_att_set_mtu`.

    /// How long what travels between an adapter and a peer may be.
    func limits(of id: DeviceID) -> AttributeLimits {
        AttributeLimits(mtu: world.links[id.adapter, id.peer]?.mtu ?? setup.mtu, behavior)
    }

    /// Lets the characteristics of a device have their MTU while it is connected; no signal tells it.
    func showMTU(of id: DeviceID) {
        showMTU(of: id) { _ in false }
    }

    /// Lets both ends of a link have another MTU.
    ///
    /// Characteristics of an earlier link have it without a signal: bluetoothd watches the link over
    /// which it has made their objects.
    func exchange(mtu: Int, over id: DeviceID) {
        guard world.links[id.adapter, id.peer]?.exchange(mtu: mtu) == true else { return }
        for end in [id, id.opposite] {
            let told = device(end)?.servicesOfLink ?? []
            showMTU(of: end) { told.contains($0.handle) }
        }
    }

    private func showMTU(of id: DeviceID, isTold: (VirtualService) -> Bool) {
        guard let device = device(id) else { return }
        let mtu: Value? = isConnected(id) ? .uint16(UInt16(limits(of: id).mtu)) : nil
        for service in device.services {
            let path = service.path(below: device.path)
            for characteristic in service.characteristics {
                bus.change(
                    ["MTU": mtu],
                    of: InterfaceName.characteristic1,
                    at: characteristic.path(below: path),
                    isTold: isTold(service)
                )
            }
        }
    }
}
