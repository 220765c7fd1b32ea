internal import BLE

/// What links subscribe to.
extension MemoryAir {
    func subscribe(to characteristic: AttributeID, by link: MemoryLink) async throws {
        let target = try subscribable(characteristic, link)
        _ = try await request(.subscribe(target, nil), by: link, nextNumber())
    }

    func notifications(
        of characteristic: AttributeID,
        by link: MemoryLink
    ) async throws -> AsyncThrowingStream<[UInt8], any Error> {
        let target = try subscribable(characteristic, link)
        return try await subscribe(to: target, by: link, nextNumber()).values
    }

    /// Subscribes with a stream of its own, which has the number of the request.
    func subscribe(
        to target: Target,
        by link: MemoryLink,
        _ id: Int
    ) async throws -> (
        values: AsyncThrowingStream<[UInt8], any Error>,
        stream: AsyncThrowingStream<[UInt8], any Error>.Continuation
    ) {
        let (values, stream) = AsyncThrowingStream.makeStream(
            of: [UInt8].self,
            bufferingPolicy: .bufferingOldest(Links.maximumEventCount)
        )
        _ = try await request(.subscribe(target, stream), by: link, id)
        // In a task, since the consumer may be anywhere when it drops the stream.
        stream.onTermination = { [weak self, route = link.route] _ in
            Task { await self?.endStream(id, on: route) }
        }
        return (values, stream)
    }

    func endStream(_ id: Int, on route: Route) {
        endAccess(id, on: route)
        guard let target = ends[route]?.client.links.unsubscribe(id) else { return }
        let actions = ends[route]?.client.unsubscribeUnused([target], nextID: nextNumber())
        carryOut(actions ?? [], on: route)
    }

    private func subscribable(_ characteristic: AttributeID, _ link: MemoryLink) throws -> Target {
        let services = try client(of: link).services
        let target = try services.target(of: characteristic, link.peer)
        guard !services.properties(of: characteristic).isDisjoint(with: [.notify, .indicate]) else {
            throw RadioError(
                .unsupported,
                "subscribing to \(characteristic) of \(link.peer): it does not notify"
            )
        }
        try checkSubscribable(target, characteristic, link)
        return target
    }

    func unsubscribe(from characteristic: AttributeID, by link: MemoryLink) async throws {
        guard let target = ends[link.route]?.client.services[characteristic],
            ends[link.route]?.client.links.isSubscribed(link.number, to: target) == true
        else { return }
        ends[link.route]?.client.links.unsubscribe(link.number, from: target)
        let (id, reply) = (nextNumber(), Promise<ATTResponse>())
        // Sent also for a task that is cancelled.
        let actions = ends[link.route]?.client.add(
            .unsubscribe(target),
            by: link.number,
            id: id,
            reply
        )
        carryOut(actions ?? [], on: link.route)
        _ = try await reply.wait()
    }
}
