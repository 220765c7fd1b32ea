internal import DBus

/// Requests over a link: in parallel or one after the other, and until an application replies.
extension VirtualDaemon {
    func isBusy(_ handle: UInt16, of id: DeviceID, _ request: ATTCode.Request) -> Bool {
        operations.values.contains {
            $0.device == id && $0.handle == handle && $0.request == request
        }
    }

    /// Lets a read share the reply to the one that is under way, if there is one.
    ///
    /// One from another place of the value is refused.
    ///
    /// - Returns: whether there is one.
    func joinRead(_ handle: UInt16, of id: DeviceID, from offset: Int, _ call: MethodCall) -> Bool {
        let running = operations.first { _, operation in
            operation.device == id && operation.handle == handle && operation.request == .read
        }
        guard let (number, operation) = running else { return false }
        if operation.offset == offset {
            operations[number]?.otherCalls.append(call)
        } else {
            call.fail(.inProgress)
        }
        return true
    }

    /// What an application is told of who asks.
    func requestOptions(of id: DeviceID, _ offset: Int) -> [String: Value] {
        var options: [String: Value] = [
            "link": .string("LE"), "mtu": .uint16(UInt16(limits.mtu)),
        ]
        if let central = device(id.mirrored) { options["device"] = .objectPath(central.path) }
        if offset > 0 { options["offset"] = .uint16(UInt16(clamping: offset)) }
        return options
    }

    /// Sends a request, when its turn has come.
    func begin(_ operation: Operation) {
        lastOperation += 1
        operations[lastOperation] = operation
        sendRequests(over: operation.device)
    }

    private func sendRequests(over id: DeviceID) {
        let numbers = operations.filter { $0.value.device == id }.keys.sorted()
        for number in numbers {
            // Each of those before may have ended others.
            guard let operation = operations[number], operation.device == id else { continue }
            if !operation.isSent {
                operations[number]?.isSent = true
                sendRequest(number)
            }
            if !behavior.hasSeveralChannels, operations[number] != nil { return }
        }
    }

    /// Lets a request travel to the server.
    func sendRequest(_ number: Int) {
        guard let operation = operations[number] else { return }
        if faults.silentHosts.contains(operation.device.peer) { limitRequest(number) }
        travel(operation.device) { daemon in
            guard let operation = daemon.operations[number] else { return }
            daemon.operations[number]?.hasArrived = true
            let stale = daemon.faults.staleHandles[operation.device.peer] ?? []
            guard !stale.contains(operation.handle) else {
                return daemon.respond(number, .failure(.invalidHandle))
            }
            operation.send(daemon, number)
        }
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
        call(
            application.owner,
            at: object,
            operation.interface,
            operation.request == .read ? "ReadValue" : "WriteValue",
            body
        ) { daemon, result in
            switch result {
            case .success(let body):
                daemon.respond(number, .success(body.first?.bytes ?? []))
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
        travel(operation.device.mirrored) { $0.finish(number, result) }
    }

    /// Replies to the central; a second end of the same operation does nothing.
    func finish(_ number: Int, _ result: Result<[UInt8], ATTCode>) {
        guard let operation = operations.removeValue(forKey: number) else { return }
        cancel(.handlerTimeout(operation: number))
        cancel(.requestTimeout(operation: number))
        switch (result, operation.request) {
        case (.success(let value), .read):
            let value = Array(value.prefix(AttributeLimits.value))
            let known =
                self.value("Value", of: operation.interface, at: operation.path)?.bytes ?? []
            let whole = operation.whole(of: value, after: known)
            change(["Value": .bytes(whole)], of: operation.interface, at: operation.path)
            for call in [operation.call] + operation.otherCalls { call.reply([.bytes(value)]) }
        case (.success, .write):
            operation.call.reply()
        case (.success, .subscribe):
            change(["Notifying": .bool(true)], of: operation.interface, at: operation.path)
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
        let meant = operations.filter { isMeant($0.value) }.keys.sorted()
        // None of them is to have its turn now.
        for number in meant { operations[number]?.isSent = true }
        for number in meant { finish(number, .failure(code)) }
    }

    /// Takes requests out that their adapter can't wait for any more.
    ///
    /// - Returns: the calls, to be refused.
    func takeRequests(of index: Int) -> [MethodCall] {
        let numbers = operations.filter { $0.value.device.adapter == index }.keys.sorted()
        for number in numbers {
            operations[number].map { doomWrites(over: $0.device) }
            cancel(.handlerTimeout(operation: number))
        }
        return numbers.compactMap { operations.removeValue(forKey: $0) }
            .flatMap { [$0.call] + $0.otherCalls }
    }

    /// Lets the daemon die when an application's time for a write is over whose link is lost.
    ///
    /// All releases do so, whether or not the application replies in the meantime, unless the
    /// adapter that serves it has been pulled out.
    func doomWrites(over id: DeviceID) {
        let due = operations.compactMap { number, operation in
            operation.device == id && operation.request == .write
                && operation.interface == Self.characteristic1
                ? schedule.due(.handlerTimeout(operation: number)) : nil
        }
        let event = Schedule.Event.lateReply(server: id.peer)
        guard let due = (due + [schedule.due(event)].compactMap(\.self)).min() else { return }
        set(event, after: due - clock.elapsed())
    }
}

extension ErrorReply {
    /// Whether the bus says that the callee has left it.
    fileprivate var tellsLossOfPeer: Bool {
        name == .noReply && text.hasPrefix("Message recipient disconnected")
            || name == .serviceUnknown
    }
}
