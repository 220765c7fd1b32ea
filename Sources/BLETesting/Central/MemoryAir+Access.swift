internal import BLE

/// Exclusive access of links to characteristics.
struct ExclusiveAccess {
    /// Who writes to which characteristic.
    var writers: [Target: Holder] = [:]
    /// Who is notified of which characteristic; by the numbers of subscriptions.
    var readers: [Target: Holder] = [:]

    struct Holder: Equatable {
        let number: Int
        let link: Int
    }

    /// A link has ended.
    mutating func end(_ link: Int) {
        writers = writers.filter { $0.value.link != link }
        readers = readers.filter { $0.value.link != link }
    }
}

extension MemoryAir {
    func acquireWriter(
        for id: AttributeID,
        by link: MemoryLink
    ) throws -> MemoryWriter {
        let target = try accessible(id, .writeWithoutResponse, link)
        try checkWritable(target, id, link)
        let holder = ExclusiveAccess.Holder(number: nextNumber(), link: link.number)
        ends[link.route]?.access.writers[target] = holder
        let count = maximumWriteByteCount(.withoutResponse, link)
        return MemoryWriter(target, id, holder, count, link, in: self)
    }

    func write(_ value: [UInt8], by writer: MemoryWriter) async throws {
        let services = try client(of: writer.link).services
        // A service that is published again is another one.
        guard try services.target(of: writer.id, writer.link.peer) == writer.target,
            ends[writer.link.route]?.access.writers[writer.target] == writer.holder
        else {
            throw RadioError(.peerGone, "the access to \(writer.id) has ended")
        }
        try check(value, upTo: writer.maximumByteCount, "\(writer.id)")
        let arrival = Promise<Void>()
        send(.command(writer.target, value), on: writer.link.route, arrival: arrival)
        try await arrival.wait()
    }

    func endWriting(to target: Target, _ holder: ExclusiveAccess.Holder, on route: Route) {
        guard ends[route]?.access.writers[target] == holder else { return }
        ends[route]?.access.writers[target] = nil
    }

    func acquireReader(
        for id: AttributeID,
        by link: MemoryLink
    ) async throws -> MemoryReader {
        let target = try accessible(id, .notify, link)
        try checkSubscribable(target, id, link)
        guard ends[link.route]?.client.links.isSubscribed(to: target) == false else {
            throw RadioError(.busy, "acquiring \(id) of \(link.peer): it is subscribed to")
        }
        let number = nextNumber()
        let holder = ExclusiveAccess.Holder(number: number, link: link.number)
        ends[link.route]?.access.readers[target] = holder
        do {
            let (values, stream) = try await subscribe(to: target, by: link, number)
            return MemoryReader(values, stream, number, link, in: self)
        } catch {
            endAccess(number, on: link.route)
            throw error
        }
    }

    func close(_ reader: MemoryReader) {
        endStream(reader.number, on: reader.link.route)
    }

    /// A reader is no longer consumed, or was closed.
    func endAccess(_ number: Int, on route: Route) {
        let readers = ends[route]?.access.readers.filter { $0.value.number != number }
        ends[route]?.access.readers = readers ?? [:]
    }

    private func accessible(
        _ id: AttributeID,
        _ property: CharacteristicProperties,
        _ link: MemoryLink
    ) throws -> Target {
        let services = try client(of: link).services
        let target = try services.target(of: id, link.peer)
        guard services.properties(of: id).contains(property),
            radios[link.route.from]?.configuration.features.contains(.exclusiveAccess) == true
        else {
            throw RadioError(
                .unsupported,
                "acquiring \(id) of \(link.peer): there is no such access"
            )
        }
        return target
    }

    // MARK: - Others

    func checkWritable(
        _ target: Target,
        _ id: AttributeID,
        _ link: MemoryLink
    ) throws(RadioError) {
        guard ends[link.route]?.access.writers[target] != nil else { return }
        throw RadioError(.busy, "writing to \(id) of \(link.peer): it was acquired for writing")
    }

    func checkSubscribable(
        _ target: Target,
        _ id: AttributeID,
        _ link: MemoryLink
    ) throws(RadioError) {
        guard ends[link.route]?.access.readers[target] != nil else { return }
        throw RadioError(.busy, "subscribing to \(id) of \(link.peer): it was acquired for reading")
    }
}
