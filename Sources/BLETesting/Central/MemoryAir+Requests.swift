internal import BLE

/// What links ask of their peers.
extension MemoryAir {
    static let maximumValueByteCount = 512

    /// The client that a link uses; `nil` once the link has ended.
    private func openClient(of link: MemoryLink) -> GATTClient? {
        guard let client = ends[link.route]?.client, client.links.contains(link.number) else {
            return nil
        }
        return client
    }

    func services(of link: MemoryLink) -> [GATTService] { openClient(of: link)?.services.all ?? [] }

    /// - Throws: ``RadioError``, `CancellationError`.
    func client(of link: MemoryLink) throws -> GATTClient {
        try Task.checkCancellation()
        guard let client = openClient(of: link) else {
            throw RadioError(.peerGone, "there is no link to \(link.peer) any longer")
        }
        return client
    }

    private func request(_ request: ATTRequest, by link: MemoryLink) async throws -> ATTResponse {
        try await self.request(.att(request), by: link, nextNumber())
    }

    /// Makes a request, which is cancelled with the task unless it has been sent.
    func request(
        _ request: GATTClient.Request,
        by link: MemoryLink,
        _ id: Int
    ) async throws -> ATTResponse {
        _ = try client(of: link)
        let reply = Promise<ATTResponse>()
        let actions = ends[link.route]?.client.add(request, by: link.number, id: id, reply)
        carryOut(actions ?? [], on: link.route)
        do {
            return try await reply.wait()
        } catch let error as CancellationError {
            let actions = ends[link.route]?.client.cancel(id, nextID: nextNumber())
            carryOut(actions ?? [], on: link.route)
            throw error
        }
    }

    func carryOut(_ actions: [GATTClient.Action], on route: Route) {
        for action in actions {
            switch action {
            case .send(let id, let request):
                send(.request(id, request), on: route)
            case .fulfil(let promise, let result):
                promise.fulfil(result)
            case .endSlowLink(let link):
                disconnect(link, on: route, Links.overflow("events of the link to \(route.to)"))
            }
        }
    }

    func discoverServices(by link: MemoryLink) async throws -> [GATTService] {
        _ = try await request(.discover, by: link)
        return services(of: link)
    }

    /// A radio shows for good what a peer serves now.
    func keepServices(of peer: PeerID, by radio: PeerID) {
        radios[radio]?.keptServices[peer] = services(of: peer)
    }

    func forgetServices(of link: MemoryLink) -> Bool {
        // Another connection is needed to discover others.
        guard openClient(of: link)?.links.count == 1, ends[link.route]?.isMaker == true else {
            return false
        }
        return radios[link.route.from]?.keptServices.removeValue(forKey: link.peer) != nil
    }

    func read(_ characteristic: AttributeID, by link: MemoryLink) async throws -> ATTResponse {
        let target = try client(of: link).services.target(of: characteristic, link.peer)
        return try await request(.read(target, offset: 0), by: link)
    }

    // MARK: - Writes

    func write(
        _ value: [UInt8],
        to characteristic: AttributeID,
        by link: MemoryLink
    ) async throws {
        let target = try client(of: link).services.target(of: characteristic, link.peer)
        try check(value, upTo: Self.maximumValueByteCount, "\(characteristic)")
        try checkWritable(target, characteristic, link)
        _ = try await request(.write(target, value), by: link)
    }

    func writeWithoutResponse(
        _ value: [UInt8],
        to characteristic: AttributeID,
        by link: MemoryLink
    ) async throws {
        let client = try client(of: link)
        let target = try client.services.target(of: characteristic, link.peer)
        guard client.services.properties(of: characteristic).contains(.writeWithoutResponse) else {
            throw RadioError(
                .unsupported,
                "writing to \(characteristic) of \(link.peer): it takes no writes without a response"
            )
        }
        try check(value, upTo: maximumWriteByteCount(.withoutResponse, link), "\(characteristic)")
        try checkWritable(target, characteristic, link)
        let arrival = Promise<Void>()
        send(.command(target, value), on: link.route, arrival: arrival)
        try await arrival.wait()
    }

    func maximumWriteByteCount(_ kind: WriteKind, _ link: MemoryLink) -> Int {
        let mtuBytes = ends[link.route]?.client.mtuBytes ?? 23
        return kind == .withResponse
            ? Self.maximumValueByteCount : min(mtuBytes - 3, Self.maximumValueByteCount)
    }

    func check(
        _ value: [UInt8],
        upTo count: Int,
        _ attribute: String
    ) throws(RadioError) {
        guard value.count > count else { return }
        throw RadioError(
            .valueTooLong,
            "writing \(value.count) bytes to \(attribute): a value has at most \(count)"
        )
    }

    // MARK: - Descriptors

    func read(_ descriptor: DescriptorID, by link: MemoryLink) async throws -> ATTResponse {
        let target = try target(of: descriptor, link)
        return try await request(.readDescriptor(target, descriptor.descriptor), by: link)
    }

    func write(_ value: [UInt8], to descriptor: DescriptorID, by link: MemoryLink) async throws {
        let target = try target(of: descriptor, link)
        try check(value, upTo: Self.maximumValueByteCount, "\(descriptor)")
        _ = try await request(.writeDescriptor(target, descriptor.descriptor), by: link)
    }

    private func target(of descriptor: DescriptorID, _ link: MemoryLink) throws -> Target {
        let services = try client(of: link).services
        let target = try services.target(of: descriptor.characteristic, link.peer)
        guard services.hasDescriptor(descriptor) else {
            throw RadioError(.missingAttribute, "\(link.peer) has no \(descriptor)")
        }
        return target
    }
}
