public import BLE
internal import BLEDBus

extension Adapter {
    /// Begins to listen.
    ///
    /// All scans share one discovery, whose filter asks for all LE advertisements; each report is
    /// filtered here. It pauses while a connection is made; a scan that begins meanwhile, or just
    /// before, returns at once.
    ///
    /// A discovery that cannot be started because one is in progress is tried again, for 8 s. One that
    /// bluetoothd ends by itself is started anew after 3 s; the stream throws `timedOut` when that has
    /// not helped three times.
    ///
    /// Of several programs that begin to discover at the same moment bluetoothd replies to the last one
    /// alone. The others' scans begin when it discovers; their discovery goes on, also while a
    /// connection is made, until the adapter is closed or goes off.
    ///
    /// bluetoothd shows no service that a device advertises once it has discovered the device's services over a connection. So a
    /// scan for services has such a device forgotten when it has been received without them for 2 s, as it may advertise one of
    /// them by now; once in ten minutes. One that is connected, paired, trusted or blocked is never forgotten.
    ///
    /// D-Bus: `org.bluez.Adapter1.SetDiscoveryFilter`, `StartDiscovery`, `StopDiscovery`, `RemoveDevice`. Source:
    /// BlueZ, doc/org.bluez.Adapter.rst.
    ///
    /// - Parameter filter: which peers are reported.
    /// - Returns: a stream of reports. The scan ends when the stream is no longer consumed.
    /// - Throws: `RadioError`, `CancellationError`.
    public func scan(
        _ filter: ScanFilter
    ) async throws -> AsyncThrowingStream<ScanEvent, any Error> {
        try checkUsable()
        let (events, continuation) = AsyncThrowingStream.makeStream(
            of: ScanEvent.self,
            bufferingPolicy: .bufferingNewest(Scan.maximumEventCount)
        )
        let scan = Scan(filter, continuation, recovery)
        let id = nextID()
        scans[id] = scan
        // A scan keeps its adapter open. Nothing depends on when exactly it ends.
        continuation.onTermination = { reason in
            guard case .cancelled = reason else { return }
            Task { await self.endScan(id) }
        }
        steerDiscovery()
        guard !discovery.isPaused else { return events }
        do {
            try await scan.listening.wait()
        } catch {
            endScan(id)
            throw error
        }
        return events
    }

    private func endScan(_ id: Int) {
        scans.removeValue(forKey: id)?.end()
        steerDiscovery()
    }
}
