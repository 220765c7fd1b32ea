internal import BLE

/// Scans, and what they receive.
extension MemoryAir {
    /// How many events wait for the consumer of a scan.
    private static let maximumEventCount = 256

    func scan(
        _ filter: ScanFilter,
        by radio: PeerID
    ) throws -> AsyncThrowingStream<ScanEvent, any Error> {
        try checkUsable(radio)
        let (stream, events) = AsyncThrowingStream.makeStream(
            of: ScanEvent.self,
            bufferingPolicy: .bufferingNewest(Self.maximumEventCount)
        )
        let number = nextNumber()
        radios[radio]?.scans[number] = .init(filter: filter, events: events)
        // In a task, since the consumer may be anywhere when it drops the stream.
        events.onTermination = { [weak self] _ in
            Task { await self?.removeScan(number, of: radio) }
        }
        for (_, advertisement) in advertisements.ordered where isOnAir(advertisement) {
            send(advertisement, to: radio, for: number)
        }
        steerAdvertising()
        return stream
    }

    private func removeScan(_ number: Int, of radio: PeerID) {
        radios[radio]?.scans[number] = nil
        steerAdvertising()
    }

    /// A radio receives an advertisement.
    func receive(_ advertisement: Advertisement, on route: Route, for scan: Int?) {
        guard let strength = strength(on: route), let sender = radios[route.from],
            var radio = radios[route.to], !radio.scans.isEmpty
        else { return }
        let sighting = radio.combine(
            Sighting(
                peer: route.from,
                address: sender.address,
                name: advertisement.localName,
                rssi: strength,
                serviceUUIDs: advertisement.serviceUUIDs,
                manufacturerData: advertisement.manufacturerData,
                serviceData: advertisement.serviceData,
                txPower: advertisement.includesTxPower ? sender.configuration.txPower : nil,
                appearance: advertisement.appearance,
                isConnectable: has(.connectability, route.to) ? advertisement.isConnectable : nil,
                time: start.advanced(by: elapsed())
            )
        )
        for (number, found) in radio.scans.ordered where scan == nil || scan == number {
            guard found.filter.admits(sighting) else { continue }
            radio.known.insert(route.from)
            radio.scans[number]?.reported.insert(route.from)
            found.events.yield(.seen(sighting))
        }
        radios[route.to] = radio
    }

    /// A radio drops a peer.
    func forget(_ peer: PeerID, by radio: PeerID) {
        guard ends[Route(from: radio, to: peer)] == nil else { return }
        radios[radio]?.known.remove(peer)
        radios[radio]?.sightings[peer] = nil
        for (number, scan) in radios[radio]?.scans.ordered ?? []
        where scan.reported.contains(peer) {
            radios[radio]?.scans[number]?.reported.remove(peer)
            scan.events.yield(.lost(peer))
        }
    }
}
