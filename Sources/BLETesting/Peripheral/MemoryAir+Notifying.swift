internal import BLE

/// Values that publications send.
extension MemoryAir {
    /// How long a central has to confirm an indication.
    ///
    /// Source: Core specification, Vol 3, Part F, 3.3.3.
    private static let confirmationLimit: Duration = .seconds(30)

    /// How many values may be on their way to one central.
    private static let maximumDeliveryCount = 256

    func update(_ id: AttributeID, to value: [UInt8], of number: Int) async throws {
        _ = try check(id, value, number)
        try await sendInTurn(.init(id: id, bytes: value), of: number)
    }

    func notify(
        _ value: [UInt8],
        to central: PeerID,
        of id: AttributeID,
        of number: Int
    ) async throws {
        let publication = try check(id, value, number)
        guard publication.options.contains(.individualNotifications) else {
            let text = "the publication is without the option individualNotifications"
            throw RadioError(.unsupported, "notifying \(central) alone of \(id): \(text)")
        }
        guard !value.isEmpty else {
            let text = "it takes 1 to 512 bytes, and not none"
            throw RadioError(.valueTooLong, "notifying \(central) alone of \(id): \(text)")
        }
        guard publication.subscribers[id]?.contains(central) == true else {
            throw RadioError(.peerGone, "notifying \(central) of \(id): it has not subscribed")
        }
        try await sendInTurn(.init(id: id, bytes: value, central: central), of: number)
    }

    func indicate(
        _ id: AttributeID,
        to value: [UInt8],
        of number: Int
    ) async throws -> Confirmation {
        try Task.checkCancellation()
        let publication = try check(id, value, number)
        guard publication.services[id]?.properties.contains(.indicate) == true else {
            let text = "it is published without that property"
            throw RadioError(.unsupported, "indicating \(id): \(text)")
        }
        let outcome = Promise<Confirmation>()
        let indication = IndicationQueue.Indication(
            id: nextNumber(),
            value: value,
            central: nil,
            outcome: outcome
        )
        try await sendInTurn(.init(id: id, bytes: value, indication: indication), of: number)
        do {
            return try await outcome.wait()
        } catch let error as CancellationError {
            publications[number]?.indications[id]?.cancel(indication.id)
            throw error
        }
    }

    private func check(
        _ id: AttributeID,
        _ value: [UInt8],
        _ number: Int
    ) throws(RadioError) -> PublicationRecord {
        guard let publication = publications[number] else { throw withdrawn() }
        guard publication.services[id] != nil else {
            throw RadioError(.missingAttribute, "there is no published \(id)")
        }
        guard value.count <= Self.maximumValueByteCount else {
            let text = "a value has at most \(Self.maximumValueByteCount)"
            throw RadioError(.valueTooLong, "notifying \(value.count) bytes of \(id): \(text)")
        }
        return publication
    }

    /// Sends a value after those of earlier calls, and after the reply to the write that the responder is handling.
    ///
    /// Waits for room; an indication whose confirmation is waited for does not.
    private func sendInTurn(_ value: PublicationRecord.Value, of number: Int) async throws {
        guard let publication = publications[number] else { throw withdrawn() }
        let busy = RadioError(.busy, "notifying of \(value.id): too many values wait")
        let isFromResponder = publication.isResponderCalledHere
        guard !isFromResponder, value.indication == nil else {
            // Who waited in the responder's turn would wait for its end.
            guard publication.heldValues.count < PublicationRecord.maximumResponderCount,
                value.indication == nil || hasRoomForIndication(of: value.id, publication)
            else { throw busy }
            while value.indication == nil, !hasRoom(for: value, of: number, isFromResponder) {
                try await waitForRoom(of: number)
            }
            return await wait(for: try sendNow(value, of: number, busy))
        }
        guard let turn = publications[number]?.turns[value.central, default: .init()].join() else {
            throw busy
        }
        let arrivals: [Promise<Void>]
        do {
            defer { publications[number]?.turns[value.central]?.end(turn) }
            try await turn.begin()
            while !hasRoom(for: value, of: number) { try await waitForRoom(of: number) }
            arrivals = try sendNow(value, of: number, busy)
        }
        await wait(for: arrivals)
    }

    private func sendNow(
        _ value: PublicationRecord.Value,
        of number: Int,
        _ busy: RadioError
    ) throws(RadioError) -> [Promise<Void>] {
        guard publications[number]?.write == nil else {
            publications[number]?.heldValues.append(value)
            return []
        }
        guard let arrivals = send(value, of: number) else { throw busy }
        return arrivals
    }

    private func wait(for arrivals: [Promise<Void>]) async {
        for arrival in arrivals {
            do {
                try await arrival.wait()
            } catch {
                // Cancelled, and sent all the same.
            }
        }
    }

    /// Whether a value can be sent, or wait for the reply to a write.
    private func hasRoom(
        for value: PublicationRecord.Value,
        of number: Int,
        _ isFromResponder: Bool = false
    ) -> Bool {
        // Then there is nothing to wait for.
        guard let publication = publications[number] else { return true }
        guard publication.write == nil else {
            return isFromResponder
                || publication.heldValues.count < PublicationRecord.maximumHeldCount
        }
        guard publication.services[value.id]?.properties.contains(.notify) == true else {
            return publication.indications[value.id]?.isFull != true
        }
        return centrals(of: value, publication).allSatisfy { central in
            let route = Route(from: publication.radio, to: central)
            return deliveryCount(on: route) < Self.maximumDeliveryCount
        }
    }

    /// Whether one more indication may wait, also for the reply to a write.
    private func hasRoomForIndication(
        of id: AttributeID,
        _ publication: PublicationRecord
    ) -> Bool {
        let heldCount = publication.heldValues.count { $0.id == id && $0.indication != nil }
        let waitingCount = publication.indications[id]?.waitingCount ?? 0
        return heldCount + waitingCount < IndicationQueue.maximumCount
    }

    private func waitForRoom(of number: Int) async throws {
        let room = Promise<Void>()
        let id = nextNumber()
        publications[number]?.roomWaits[id] = room
        defer { publications[number]?.roomWaits[id] = nil }
        try await room.wait()
    }

    /// There may be room for a value.
    func signalRoom(of number: Int) {
        for (_, room) in publications[number]?.roomWaits.ordered ?? [] { room.fulfil() }
        publications[number]?.roomWaits = [:]
    }

    private func centrals(
        of value: PublicationRecord.Value,
        _ publication: PublicationRecord
    ) -> [PeerID] {
        (publication.subscribers[value.id] ?? []).filter { $0 == value.central ?? $0 }
    }

    /// Sends a value to its subscribers.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - number: the publication's.
    ///   - wasHeld: whether it has waited for the reply to a write; then it is sent in any case.
    /// - Returns: what is kept when it has arrived; `nil` when too many indications wait.
    func send(
        _ value: PublicationRecord.Value,
        of number: Int,
        wasHeld: Bool = false
    ) -> [Promise<Void>]? {
        guard let publication = publications[number],
            let properties = publication.services[value.id]?.properties
        else { return [] }
        guard value.indication == nil, properties.contains(.notify) else {
            let indication = IndicationQueue.Indication(
                id: nextNumber(),
                value: value.bytes,
                central: value.central,
                outcome: nil
            )
            let hasRoom = publications[number]?.indications[value.id, default: .init()]
                .add(value.indication ?? indication, wasHeld: wasHeld)
            indicateNext(Target(publication: number, id: value.id))
            return hasRoom == true ? [] : nil
        }
        return centrals(of: value, publication).map { central in
            let arrival = Promise<Void>()
            send(
                value.bytes,
                of: Target(publication: number, id: value.id),
                nil,
                on: Route(from: publication.radio, to: central),
                arrival
            )
            return arrival
        }
    }

    private func send(
        _ value: [UInt8],
        of target: Target,
        _ indication: Int?,
        on route: Route,
        _ arrival: Promise<Void>?
    ) {
        let value = Array(value.prefix(mtuBytes(on: route) - 3))
        send(.value(target, value, indication: indication), on: route, arrival: arrival)
    }

    // MARK: - Indications

    private func indicateNext(_ target: Target) {
        defer { signalRoom(of: target.publication) }
        guard let publication = publications[target.publication] else { return }
        let subscribers = publication.subscribers[target.id] ?? []
        let next = publications[target.publication]?.indications[target.id]?.next(subscribers)
        guard let (indication, centrals) = next ?? nil else { return }
        for central in centrals {
            let route = Route(from: publication.radio, to: central)
            send(indication.value, of: target, indication.id, on: route, nil)
        }
        // Ends with the time, or is cancelled with the indication.
        let timer = Task { [weak self, clock] in
            guard (try? await clock.sleep(for: Self.confirmationLimit)) != nil else { return }
            await self?.expire(indication.id, of: target)
        }
        publications[target.publication]?.indications[target.id]?.timer = timer
    }

    private func expire(_ id: Int, of target: Target) {
        publications[target.publication]?.indications[target.id]?.expire(id)
        indicateNext(target)
    }

    func didConfirm(_ id: Int, of target: Target, by central: PeerID) {
        publications[target.publication]?.indications[target.id]?.end(id, of: central, .confirmed)
        indicateNext(target)
    }

    func didUnsubscribe(_ central: PeerID, from target: Target) {
        publications[target.publication]?.indications[target.id]?.end(
            nil,
            of: central,
            .unconfirmed
        )
        indicateNext(target)
    }
}
