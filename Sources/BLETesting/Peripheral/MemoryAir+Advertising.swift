internal import BLE

/// Advertisements, and when they are sent.
extension MemoryAir {
    func advertise(
        _ advertisement: Advertisement,
        by radio: PeerID
    ) throws -> MemoryAdvertising {
        try checkUsable(radio)
        let number = try beginAdvertisement(advertisement, by: radio, of: nil)
        let advertising = MemoryAdvertising(number, in: self)
        advertisements[number]?.handle = advertising
        return advertising
    }

    func beginAdvertisement(
        _ content: Advertisement,
        by radio: PeerID,
        of publication: Int?
    ) throws(RadioError) -> Int {
        try content.validate()
        try checkRoom(on: radio)
        // Of those that have ended the ones stay whose end somebody can ask for.
        advertisements = advertisements.filter { !$0.value.hasEnded || $0.value.handle != nil }
        let number = nextNumber()
        advertisements[number] = AdvertisementRecord(
            radio: radio,
            publication: publication,
            content: content
        )
        send(advertisement: number)
        steerAdvertising()
        return number
    }

    func advertisementCount(of radio: PeerID) -> Int {
        advertisements.values.count { $0.radio == radio && $0.isAdvertising }
    }

    private func checkRoom(on radio: PeerID) throws(RadioError) {
        let count = radios[radio]?.configuration.advertisementCount ?? 0
        guard advertisementCount(of: radio) >= count else { return }
        throw RadioError(
            .limitReached,
            "advertising on \(radio): \(count) of \(count) advertisements are in use"
        )
    }

    /// Whether a radio advertises that it is connectable.
    func isConnectable(_ radio: PeerID) -> Bool {
        advertisements.values.contains {
            $0.radio == radio && isOnAir($0) && $0.content.isConnectable
        }
    }

    func isOnAir(_ advertisement: AdvertisementRecord) -> Bool {
        advertisement.isAdvertising && isOn(advertisement.radio)
    }

    // MARK: - Changes

    func update(_ number: Int, to content: Advertisement) throws {
        try Task.checkCancellation()
        try advertisements[number]?.checkNotEnded()
        try content.validate()
        advertisements[number]?.content = content
        send(advertisement: number)
        restartTimer(of: number)
    }

    func pause(_ number: Int) throws {
        try Task.checkCancellation()
        try advertisements[number]?.checkNotEnded()
        advertisements[number]?.state = .paused
        steerAdvertising()
    }

    func resume(_ number: Int) throws {
        try Task.checkCancellation()
        guard let advertisement = advertisements[number] else { return }
        try advertisement.checkNotEnded()
        guard !advertisement.isAdvertising else { return }
        try checkUsable(advertisement.radio)
        try checkRoom(on: advertisement.radio)
        advertisements[number]?.state = .advertising
        send(advertisement: number)
        steerAdvertising()
    }

    /// Ends an advertisement; without an error the program has ended it.
    func endAdvertisement(_ number: Int, _ error: RadioError?) {
        guard let advertisement = advertisements[number], !advertisement.hasEnded else { return }
        advertisements[number]?.state = .ended(error)
        advertisements[number]?.endWaits = []
        for promise in advertisement.endWaits {
            promise.fulfil(error.map { .failure($0) } ?? .success(()))
        }
        steerAdvertising()
        if advertisement.publication != nil { advertisements[number] = nil }
    }

    func waitUntilEnded(_ number: Int) async throws {
        if case .ended(let error) = advertisements[number]?.state {
            if let error { throw error }
            return
        }
        let promise = Promise<Void>()
        advertisements[number]?.endWaits.append(promise)
        try await promise.wait()
    }

    // MARK: - Sending

    /// Sends an advertisement to all that scan.
    func send(advertisement number: Int) {
        guard let advertisement = advertisements[number], isOnAir(advertisement) else { return }
        for peer in peers where radios[peer]?.scans.isEmpty == false {
            send(advertisement, to: peer, for: nil)
        }
    }

    /// Sends an advertisement to one radio, for one scan or for all.
    func send(_ advertisement: AdvertisementRecord, to radio: PeerID, for scan: Int?) {
        guard radio != advertisement.radio else { return }
        let route = Route(from: advertisement.radio, to: radio)
        deliver(.sighting(advertisement.content, scan: scan), on: route)
    }

    /// Runs the timers of advertisements while somebody scans, and no longer.
    func steerAdvertising() {
        let isScanned = radios.values.contains { !$0.scans.isEmpty }
        for (number, advertisement) in advertisements.ordered {
            let isWanted = isScanned && isOnAir(advertisement)
            if isWanted, advertisement.timer == nil {
                let timer = timer(of: number)
                advertisements[number]?.timer = timer
            } else if !isWanted {
                advertisement.timer?.cancel()
                advertisements[number]?.timer = nil
            }
        }
    }

    private func restartTimer(of number: Int) {
        advertisements[number]?.timer?.cancel()
        advertisements[number]?.timer = nil
        steerAdvertising()
    }

    private func timer(of number: Int) -> Task<Void, Never>? {
        guard let advertisement = advertisements[number],
            let configuration = radios[advertisement.radio]?.configuration
        else { return nil }
        let isHeeded = configuration.features.contains(.advertisingIntervals)
        let wish = isHeeded ? advertisement.content.interval?.lowerBound : nil
        let interval = wish ?? configuration.advertisingInterval
        // Ends when it is cancelled.
        return Task { [weak self, clock] in
            while (try? await clock.sleep(for: interval)) != nil {
                await self?.send(advertisement: number)
            }
        }
    }
}
