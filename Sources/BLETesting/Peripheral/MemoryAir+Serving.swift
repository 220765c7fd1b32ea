internal import BLE

/// What centrals ask of publications.
extension MemoryAir {
    /// How long a responder has for a request.
    private static let replyLimit: Duration = .seconds(4)

    /// Serves a request.
    ///
    /// - Parameters:
    ///   - request: what is asked.
    ///   - id: its number, for the reply.
    ///   - route: from the radio that serves to the central.
    func serve(_ request: ATTRequest, _ id: Int, at route: Route) {
        guard radios[route.from]?.repliesToRequests == true else { return }
        do throws(ATTError) {
            if let response = try response(to: request, id, at: route) {
                send(.response(id, .success(response)), on: route)
            }
        } catch {
            send(.response(id, .failure(error)), on: route)
        }
    }

    /// - Returns: the response; `nil` when the responder gives it later.
    private func response(
        to request: ATTRequest,
        _ id: Int,
        at route: Route
    ) throws(ATTError) -> ATTResponse? {
        guard let target = request.target else { return .services(services(of: route.from)) }
        guard let publication = publications[target.publication],
            let characteristic = publication.services[target.id]
        else { throw .invalidHandle }
        guard ends[route]?.isBeingDisconnected == false, !publication.isWithdrawing else {
            throw .unlikelyError
        }
        didConnect(route.to, to: target.publication)
        switch request {
        case .discover:
            return nil
        case .read(_, let offset):
            guard characteristic.properties.contains(.read) else { throw .readNotPermitted }
            let operation = read(target.id, offset, at: route)
            try ask(operation, of: target.publication, id, at: route)
            return nil
        case .write(_, let value):
            guard characteristic.properties.contains(.write) else { throw .writeNotPermitted }
            let operation = write(value, target.id, .withResponse, at: route)
            guard !characteristic.takesBothWrites else {
                try ask(operation, of: target.publication, nil, at: route)
                return .done
            }
            try ask(operation, of: target.publication, id, at: route)
            return nil
        case .readDescriptor(_, let uuid):
            return try .value(value(of: uuid, characteristic, target, route), hasMore: false)
        case .writeDescriptor:
            throw .writeNotPermitted
        case .configure(_, let isSubscribed):
            configure(target, isSubscribed: isSubscribed, by: route.to, at: route)
            return .done
        }
    }

    private func value(
        of descriptor: BluetoothUUID,
        _ characteristic: GATTCharacteristic,
        _ target: Target,
        _ route: Route
    ) throws(ATTError) -> [UInt8] {
        let found = characteristic.servedDescriptors.first { $0.uuid == descriptor }
        guard let found else { throw .attributeNotFound }
        guard descriptor == .clientCharacteristicConfiguration else { return found.value }
        guard ends[route]?.subscriptions.contains(target) == true else { return [0, 0] }
        return characteristic.properties.contains(.notify) ? [1, 0] : [2, 0]
    }

    private func read(
        _ id: AttributeID,
        _ offset: Int,
        at route: Route
    ) -> PublicationRecord.Operation {
        let mtuBytes = mtuBytes(on: route)
        return .read(id, GATTRequest(central: route.to, mtuBytes: mtuBytes, offset: offset))
    }

    private func write(
        _ value: [UInt8],
        _ id: AttributeID,
        _ kind: WriteKind,
        at route: Route
    ) -> PublicationRecord.Operation {
        let request = GATTRequest(
            central: route.to,
            mtuBytes: mtuBytes(on: route),
            writeKind: has(.writeKinds, route.from) ? kind : nil
        )
        return .write(value, id, request)
    }

    func mtuBytes(on route: Route) -> Int { ends[route]?.client.mtuBytes ?? 23 }

    /// Serves a write command; no central is told when it cannot be served.
    func serve(_ value: [UInt8], to target: Target, at route: Route) {
        guard let publication = publications[target.publication],
            publication.services[target.id]?.properties.contains(.writeWithoutResponse) == true,
            ends[route]?.isBeingDisconnected == false, !publication.isWithdrawing
        else { return }
        didConnect(route.to, to: target.publication)
        let operation = write(value, target.id, .withoutResponse, at: route)
        do throws(ATTError) {
            try ask(operation, of: target.publication, nil, at: route)
            publications[target.publication]?.lost.didAccept(target.id, from: route.to)
        } catch {
            let gap = publications[target.publication]?.lost.lose(target.id, from: route.to)
            if let gap { publication.items.yield(.lost(gap)) }
        }
    }

    /// The turn of lost writes has come.
    func takeLost(_ gap: Int, of publication: Int) -> PublicationEvent? {
        publications[publication]?.lost.take(gap)
    }

    /// Hands a request to the responder; without a number there is no reply.
    private func ask(
        _ operation: PublicationRecord.Operation,
        of number: Int,
        _ id: Int?,
        at route: Route
    ) throws(ATTError) {
        guard let publication = publications[number], let connection = ends[route]?.connection,
            publication.waitingRequestCount < PublicationRecord.maximumBacklogCount
        else { throw .unlikelyError }
        let request = nextNumber()
        let isWrite = if case .write = operation { true } else { false }
        var unanswered = PublicationRecord.Unanswered(
            route: route,
            connection: connection,
            request: id,
            holdsValues: isWrite && id != nil
        )
        if id != nil {
            // Ends with the time, or is cancelled by the reply.
            unanswered.timer = Task { [weak self, clock] in
                guard (try? await clock.sleep(for: Self.replyLimit)) != nil else { return }
                await self?.didReply(.failure(.unlikelyError), to: request, of: number)
            }
        }
        publications[number]?.unanswered[request] = unanswered
        publications[number]?.waitingRequestCount += 1
        publication.items.yield(.request(request, operation))
    }

    // MARK: - Replies

    /// The responder has replied, or its time is over; only what comes first counts.
    func didReply(_ result: Result<ATTResponse, ATTError>, to request: Int, of number: Int) {
        guard let unanswered = publications[number]?.unanswered.removeValue(forKey: request) else {
            return
        }
        unanswered.timer?.cancel()
        reply(result, to: unanswered)
        if publications[number]?.write == request {
            publications[number]?.write = nil
            let values = publications[number]?.heldValues ?? []
            publications[number]?.heldValues = []
            for value in values { _ = send(value, of: number, wasHeld: true) }
            signalRoom(of: number)
        }
        keepReplyWaits(of: number)
    }

    private func keepReplyWaits(of number: Int) {
        guard let publication = publications[number] else { return }
        publications[number]?.replyWaits = publication.replyWaits.filter { central, promise in
            guard !publication.isWaiting(central) else { return true }
            promise.fulfil()
            return false
        }
    }

    func reply(
        _ result: Result<ATTResponse, ATTError>,
        to unanswered: PublicationRecord.Unanswered
    ) {
        guard let request = unanswered.request,
            ends[unanswered.route]?.connection == unanswered.connection
        else { return }
        send(.response(request, result), on: unanswered.route)
    }
}
