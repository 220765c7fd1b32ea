internal import BLEDBus

/// Requests over a link: in parallel or one after the other, and until an application replies.
extension VirtualDaemon {
    /// Lets a read share the reply to the one that is under way, if there is one.
    ///
    /// One from another place of the value is refused.
    ///
    /// - Returns: whether there is one.
    func joinRead(_ handle: UInt16, of id: DeviceID, from offset: Int, _ call: MethodCall) -> Bool {
        guard let number = operations.number(of: .read, for: handle, of: id) else { return false }
        if operations[number]?.offset == offset {
            operations[number]?.otherCalls.append(call)
        } else {
            call.fail(.inProgress)
        }
        return true
    }

    /// What an application is told of who asks.
    func requestOptions(of id: DeviceID, _ offset: Int) -> [String: Value] {
        var options: [String: Value] = [
            "link": .string("LE"), "mtu": .uint16(UInt16(limits(of: id).mtu)),
        ]
        if let central = device(id.opposite) { options["device"] = .objectPath(central.path) }
        if offset > 0 { options["offset"] = .uint16(UInt16(clamping: offset)) }
        return options
    }

    /// Sends a request, when its turn has come.
    func begin(_ operation: Operation) {
        operations.add(operation)
        sendRequests(over: operation.device)
    }

    private func sendRequests(over id: DeviceID) {
        let isParallel = behavior.hasSeveralChannels
        while let number = operations.nextToSend(over: id, inParallel: isParallel) {
            operations[number]?.isSent = true
            sendRequest(number)
        }
    }

    /// Lets a request travel to the server.
    func sendRequest(_ number: Int) {
        guard let operation = operations[number] else { return }
        let ways: Set = [operation.device, operation.device.opposite]
        if faults.unresponsiveHosts.contains(operation.device.peer)
            || !faults.mutedWays.isDisjoint(with: ways)
        {
            limitRequest(number)
        }
        transmit(operation.device) { daemon in
            guard let operation = daemon.operations[number] else { return }
            daemon.operations[number]?.hasArrived = true
            guard !daemon.takeOutOfSync(operation.device) else {
                return daemon.respond(number, .failure(.databaseOutOfSync))
            }
            guard !daemon.isStale(operation.handle, of: operation.device) else {
                return daemon.respond(number, .failure(.invalidHandle))
            }
            operation.send(daemon, number)
        }
    }

    /// Whether a request is refused once, as the services have changed unseen.
    ///
    /// Source: BlueZ, src/gatt-database.c, `server_authorize`; src/shared/gatt-client.c, `gatt_client_db_sync_cb`.
    private func takeOutOfSync(_ id: DeviceID) -> Bool {
        guard device(id)?.isOutOfSync == true else { return false }
        modify(id) { $0.isOutOfSync = false }
        return !behavior.repeatsRequestsOutOfSync
    }

    /// Asks an application, which may take its time until the limit.
    func ask(
        _ application: RegisteredApplication.ID,
        at object: ObjectPath,
        _ body: [Value],
        for number: Int
    ) {
        guard let operation = operations[number] else { return }
        limitTime(of: number)
        bus.call(
            application.owner,
            at: object,
            operation.interface,
            operation.request == .read ? "ReadValue" : "WriteValue",
            body
        ) { daemon, result in
            switch result {
            case .success(let body):
                guard let part = Self.value(body, of: operation.request) else {
                    return daemon.respond(number, .failure(.requestNotSupported))
                }
                guard let rest = daemon.rest(of: number, after: part) else { return }
                daemon.ask(application, at: object, rest, for: number)
            case .failure(let error) where error.tellsLossOfPeer:
                // Its objects are about to go, and the operation with them.
                break
            case .failure(let error):
                let knowsAll = daemon.behavior.knowsImproperlyConfigured
                let code = ATTCode(
                    error,
                    to: operation.request,
                    knowsImproperlyConfigured: knowsAll
                )
                daemon.respond(number, .failure(code))
            }
        }
    }

    /// What an application has replied: nothing to a write, to a read an `ay`; `nil` for anything else.
    ///
    /// Source: BlueZ, src/gatt-database.c, `read_reply_cb`.
    private static func value(_ body: [Value], of request: ATTCode.Request) -> [UInt8]? {
        guard request == .read else { return [] }
        guard case .bytes(let value) = body.first else { return nil }
        return value
    }

    /// Takes a part of a value that is read, and responds with the whole once it is complete.
    ///
    /// A central goes on reading as long as responses are full.
    ///
    /// - Returns: the arguments with which the application is to be asked for more.
    private func rest(of number: Int, after part: [UInt8]) -> [Value]? {
        guard let operation = operations[number], operation.response == nil else { return nil }
        let room = AttributeLimits.value - operation.parts.count
        let response = limits(of: operation.device).readInOnePiece
        let part = part.prefix(min(response, room))
        operations[number]?.parts += part
        let count = operation.parts.count + part.count
        guard operation.request == .read, part.count == response,
            count < AttributeLimits.value
        else {
            respond(number, .success(operation.parts + part))
            return nil
        }
        // Each response has its own limit.
        cancel(.handlerTimeout(operation: number))
        return [.properties(requestOptions(of: operation.device, operation.offset + count))]
    }

    /// Lets an application have its time, which begins with the first call for a request.
    func limitTime(of number: Int) {
        guard !schedule.contains(.handlerTimeout(operation: number)) else { return }
        set(.handlerTimeout(operation: number), after: timing.handlerLimit)
    }

    /// Lets a server's response travel to the central.
    func respond(_ number: Int, _ result: Result<[UInt8], ATTCode>) {
        guard let operation = operations[number], operation.response == nil else { return }
        operations[number]?.response = result
        cancel(.handlerTimeout(operation: number))
        transmit(operation.device.opposite) { $0.finish(number, result) }
    }

    /// Replies to the central; a second end of the same operation does nothing.
    func finish(_ number: Int, _ result: Result<[UInt8], ATTCode>) {
        guard let operation = operations.remove(number) else { return }
        cancel(.handlerTimeout(operation: number))
        cancel(.requestTimeout(operation: number))
        switch (result, operation.request) {
        case (.success(let value), .read):
            let value = Array(value.prefix(AttributeLimits.value))
            let known =
                bus.value("Value", of: operation.interface, at: operation.path)?.bytes ?? []
            let whole = operation.whole(of: value, after: known)
            bus.change(["Value": .bytes(whole)], of: operation.interface, at: operation.path)
            for call in [operation.call] + operation.otherCalls { call.reply([.bytes(value)]) }
        case (.success, .write):
            operation.call.reply()
        case (.success, .subscribe):
            bus.change(["Notifying": .bool(true)], of: operation.interface, at: operation.path)
            operation.call.reply()
        case (.failure(let code), let request):
            if request == .subscribe {
                modify(operation.device) { device in
                    device.subscribers[operation.handle]?.removeAll { $0 == operation.call.sender }
                }
            }
            for call in [operation.call] + operation.otherCalls { call.fail(code.reply) }
        }
        sendRequests(over: operation.device)
    }

    /// Ends operations that will not be replied to.
    func failOperations(_ code: ATTCode, where isMeant: (Operation) -> Bool) {
        let meant = operations.numbers(where: isMeant)
        // None of them is to have its turn now.
        for number in meant { operations[number]?.isSent = true }
        for number in meant { finish(number, .failure(code)) }
    }

    /// Takes requests out that their adapter can't wait for any more.
    ///
    /// - Returns: the calls, to be refused.
    func takeRequests(of index: Int) -> [MethodCall] {
        let numbers = operations.numbers { $0.device.adapter == index }
        for number in numbers {
            operations[number].map { scheduleCrashAfterLostWrites(over: $0.device) }
            cancel(.handlerTimeout(operation: number))
        }
        return numbers.compactMap { operations.remove($0) }
            .flatMap { [$0.call] + $0.otherCalls }
    }

    /// Lets the daemon die when an application's time for a write is over whose link is lost.
    ///
    /// All releases do so, whether or not the application replies in the meantime, unless the
    /// adapter that serves it has been pulled out.
    func scheduleCrashAfterLostWrites(over id: DeviceID) {
        let writes = operations.numbers {
            $0.device == id && $0.request == .write
                && $0.interface == InterfaceName.characteristic1
        }
        let due = writes.compactMap { schedule.due(.handlerTimeout(operation: $0)) }
        let event = Schedule.Event.crashAfterLostWrite(server: id.peer)
        guard let due = (due + [schedule.due(event)].compactMap(\.self)).min() else { return }
        set(event, after: due - clock.elapsed())
    }

    /// Limits the time of a request to a host that does not respond.
    func limitRequest(_ number: Int) {
        set(.requestTimeout(operation: number), after: timing.requestLimit)
    }

    /// Ends a request without a response, and soon the link.
    func expireRequest(_ number: Int) {
        guard let id = operations[number]?.device else { return }
        finish(number, .failure(.unlikelyError))
        set(.abandonment(id), after: timing.disconnecting)
    }

    // MARK: - Write commands

    /// Lets a command arrive: at once, or after one that overtakes it.
    func send(_ command: CommandBurst.Command, over id: DeviceID) {
        guard behavior.hasSeveralChannels,
            var commands = world.links[id.adapter, id.peer]?[id.adapter].commands
        else { return arrive(command, over: id) }
        let isFirst = commands.isEmpty
        let arriving = commands.take(command)
        world.links[id.adapter, id.peer]?[id.adapter].commands = commands
        if isFirst { set(.commands(id), after: timing.overtaking) }
        for command in arriving { arrive(command, over: id) }
        if arriving.count > 1 { deliverCommands(of: id) }
    }

    /// Lets what is on its way arrive, as nothing follows.
    func deliverCommands(of id: DeviceID) {
        takeCommands(of: id).map { arrive($0, over: id) }
    }

    /// Forgets what is on its way over a link that is lost; its sender has done his part.
    func dropCommands(of id: DeviceID) {
        takeCommands(of: id)?.call.reply()
    }

    private func takeCommands(of id: DeviceID) -> CommandBurst.Command? {
        cancel(.commands(id))
        let pending = world.links[id.adapter, id.peer]?[id.adapter].commands.pending
        world.links[id.adapter, id.peer]?[id.adapter].commands = CommandBurst()
        return pending
    }

    func arrive(_ command: CommandBurst.Command, over id: DeviceID) {
        command.call.reply()
        guard command.value.count <= limits(of: id).arrivingCommand, command.target.flags.isWritable
        else { return }
        write(command.value, to: command.target, of: id)
    }
}

extension ErrorReply {
    /// Whether the bus says that the callee has left it.
    var tellsLossOfPeer: Bool {
        name == .noReply && text.hasPrefix("Message recipient disconnected")
            || name == .serviceUnknown
    }
}
