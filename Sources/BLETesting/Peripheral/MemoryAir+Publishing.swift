internal import BLE

/// Publishing, and the end of it.
extension MemoryAir {
    func publish(
        _ services: [GATTService],
        advertising advertisement: Advertisement?,
        options: PublicationOptions,
        responder: any GATTResponder,
        by radio: PeerID
    ) throws -> MemoryPublication {
        try checkUsable(radio)
        try check(services, options, radio)
        let number = nextNumber()
        let advertisement = try advertisement.map {
            try beginAdvertisement($0, by: radio, of: number)
        }
        let (items, item) = AsyncStream.makeStream(of: PublicationRecord.Item.self)
        publications[number] = PublicationRecord(
            radio: radio,
            services: services,
            options: options,
            advertisement: advertisement,
            items: item
        )
        let publication = MemoryPublication(number, in: self)
        item.yield(.published(publication))
        // Ends with the stream of its items.
        Task { [weak self] in
            let task = withUnsafeCurrentTask { $0?.hashValue }
            await self?.callsResponder(of: number, in: task)
            for await item in items { await Self.call(responder, item, number, self) }
        }
        reportServices(of: radio)
        for peer in peers where ends[Route(from: radio, to: peer)]?.isMaker == true {
            didConnect(peer, to: number)
        }
        return publication
    }

    private func check(
        _ services: [GATTService],
        _ options: PublicationOptions,
        _ radio: PeerID
    ) throws(RadioError) {
        if options.contains(.individualNotifications), !has(.individualNotifications, radio) {
            let text = "publishing on \(radio): it cannot notify one central alone"
            throw RadioError(.unsupported, text)
        }
        guard !options.contains(.lostRefusals) else { return }
        for characteristic in services.flatMap(\.characteristics)
        where characteristic.takesBothWrites {
            throw RadioError(
                .unsupported,
                "publishing \(characteristic): writes with and without a response take the option "
                    + "lostRefusals"
            )
        }
    }

    func services(of radio: PeerID) -> [ServedServices] {
        publications.ordered.filter { $0.value.radio == radio }
            .map { ServedServices(publication: $0.key, services: $0.value.services) }
    }

    /// Tells the peers of a radio which services it has now.
    private func reportServices(of radio: PeerID) {
        for peer in peers {
            send(.servicesChanged(services(of: radio)), on: Route(from: radio, to: peer))
        }
    }

    /// Stops advertising, and ends a publication once all requests have been answered.
    func withdraw(_ number: Int) async {
        guard let publication = publications[number] else { return }
        publications[number]?.isWithdrawing = true
        if let advertisement = publication.advertisement { endAdvertisement(advertisement, nil) }
        // A responder that withdraws it replies after that.
        if publication.isWaiting(nil), !publication.isResponderCalledHere {
            let promise = Promise<Void>()
            publications[number]?.replyWaits.append((nil, promise))
            // In a task of its own, as also who was cancelled wants this to be done. Fails with the publication.
            await Task { try? await promise.wait() }.value
        }
        endPublication(number, nil)
    }

    /// Ends a publication; without an error the program has withdrawn it.
    func endPublication(_ number: Int, _ error: RadioError?) {
        guard let publication = publications.removeValue(forKey: number) else { return }
        if let advertisement = publication.advertisement { endAdvertisement(advertisement, error) }
        let reason = withdrawn(error)
        for var queue in publication.indications.values { queue.failAll(reason) }
        for (_, promise) in publication.replyWaits { promise.fail(reason) }
        for var turns in publication.turns.values { turns.failAll(reason) }
        for (_, promise) in publication.roomWaits.ordered { promise.fail(reason) }
        for peer in peers {
            let route = Route(from: publication.radio, to: peer)
            let own = ends[route]?.subscriptions.filter { $0.publication == number } ?? []
            ends[route]?.subscriptions.subtract(own)
        }
        reportServices(of: publication.radio)
        for (_, unanswered) in publication.unanswered.ordered {
            unanswered.timer?.cancel()
            reply(.failure(.unlikelyError), to: unanswered)
        }
        if let error { publication.items.yield(.event(.ended(error))) }
        publication.items.finish()
    }

    func withdrawn(_ error: RadioError? = nil) -> RadioError {
        guard let error else { return RadioError(.withdrawn, "the publication has ended") }
        return RadioError(.withdrawn, "the publication ended: \(error)", underlying: error)
    }

    // MARK: - The responder

    private static func call(
        _ responder: any GATTResponder,
        _ item: PublicationRecord.Item,
        _ publication: Int,
        _ air: MemoryAir?
    ) async {
        switch item {
        case .published(let publication):
            await responder.didPublish(publication)
        case .event(let event):
            await air?.beginEvent(of: publication)
            await responder.handle(event)
        case .lost(let gap):
            guard let event = await air?.takeLost(gap, of: publication) else { return }
            await responder.handle(event)
        case .request(let number, let operation):
            guard await air?.beginRequest(number, of: publication) == true else { return }
            let result = await Self.call(responder, operation)
            await air?.didReply(result, to: number, of: publication)
        }
    }

    private static func call(
        _ responder: any GATTResponder,
        _ operation: PublicationRecord.Operation
    ) async -> Result<ATTResponse, ATTError> {
        do throws(ATTError) {
            switch operation {
            case .read(let id, let request):
                let value = try await responder.read(id, request)
                guard request.offset <= value.count else { throw .invalidOffset }
                let room = request.mtuBytes - 1
                let part = value.dropFirst(request.offset).prefix(room)
                return .success(.value(Array(part), hasMore: part.count == room))
            case .write(let value, let id, let request):
                try await responder.write(value, to: id, request)
                return .success(.done)
            }
        } catch {
            return .failure(error)
        }
    }

    private func callsResponder(of publication: Int, in task: Int?) {
        publications[publication]?.task = task
    }

    private func beginEvent(of publication: Int) {
        publications[publication]?.waitingEventCount -= 1
    }

    /// - Returns: whether the request still has no reply.
    private func beginRequest(_ number: Int, of publication: Int) -> Bool {
        publications[publication]?.waitingRequestCount -= 1
        guard let request = publications[publication]?.unanswered[number] else { return false }
        if request.holdsValues { publications[publication]?.write = number }
        return true
    }

    /// Reports an event to a responder; ends a publication whose responder is too slow.
    func report(_ event: PublicationEvent, to number: Int) {
        guard let publication = publications[number] else { return }
        guard publication.waitingEventCount < PublicationRecord.maximumBacklogCount else {
            let text = "\(PublicationRecord.maximumBacklogCount) events wait for the responder of "
            return endPublication(number, RadioError(.overflow, text + publication.names))
        }
        publications[number]?.waitingEventCount += 1
        publication.items.yield(.event(event))
    }
}

extension GATTCharacteristic {
    var takesBothWrites: Bool { properties.isSuperset(of: [.write, .writeWithoutResponse]) }
}
