internal import DBus

/// Reads and writes that wait for an application.
extension VirtualDaemon {
    func isBusy(_ handle: UInt16, of id: DeviceID, _ request: ATTCode.Request) -> Bool {
        operations.values.contains {
            $0.device == id && $0.handle == handle && $0.request == request
        }
    }

    /// What an application is told of who asks.
    func requestOptions(of id: DeviceID, _ offset: Int) -> [String: Value] {
        var options: [String: Value] = [
            "link": .string("LE"), "mtu": .uint16(UInt16(AttributeLimits.mtu)),
        ]
        if let central = device(id.mirrored) { options["device"] = .objectPath(central.path) }
        if offset > 0 { options["offset"] = .uint16(UInt16(clamping: offset)) }
        return options
    }

    /// Asks an application, which may take its time until the limit.
    func begin(_ operation: Operation, at object: ObjectPath, _ body: [Value]) {
        lastOperation += 1
        let number = lastOperation
        operations[number] = operation
        set(.handlerTimeout(operation: number), after: timing.handlerLimit)
        call(
            operation.application.owner,
            at: object,
            operation.interface,
            operation.request == .read ? "ReadValue" : "WriteValue",
            body
        ) { daemon, result in
            switch result {
            case .success(let body):
                daemon.finish(number, .success(body.first?.bytes ?? []))
            case .failure(let error) where error.tellsLossOfPeer:
                // Its objects are about to go, and the operation with them.
                break
            case .failure(let error):
                daemon.finish(number, .failure(ATTCode(error, to: operation.request)))
            }
        }
    }

    /// Replies to the central; a second end of the same operation does nothing.
    func finish(_ number: Int, _ result: Result<[UInt8], ATTCode>) {
        guard let operation = operations.removeValue(forKey: number) else { return }
        cancel(.handlerTimeout(operation: number))
        switch (result, operation.request) {
        case (.success(let value), .read):
            let value = Value.bytes(Array(value.prefix(AttributeLimits.value)))
            change(["Value": value], of: operation.interface, at: operation.path)
            operation.call.reply([value])
        case (.success, .write):
            operation.call.reply()
        case (.failure(let code), _):
            operation.call.fail(code.reply)
        }
    }

    /// Ends operations that an application will not reply to.
    func failOperations(_ code: ATTCode, where isMeant: (Operation) -> Bool) {
        for number in operations.filter({ isMeant($0.value) }).keys.sorted() {
            finish(number, .failure(code))
        }
    }
}

extension ErrorReply {
    /// Whether the bus says that the callee has left it.
    fileprivate var tellsLossOfPeer: Bool {
        name == .noReply && text.hasPrefix("Message recipient disconnected")
            || name == .serviceUnknown
    }
}
