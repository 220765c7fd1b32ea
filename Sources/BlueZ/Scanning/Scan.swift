internal import BLE
internal import BLEDBus

/// One scan: what it wants, and what it has reported.
struct Scan {
    /// How many events wait for who scans; the oldest are dropped then, as the peers advertise again.
    static let maximumEventCount = 256

    private let filter: ScanFilter
    private let events: AsyncThrowingStream<ScanEvent, any Error>.Continuation
    private var reported: [ObjectPath: PeerID] = [:]
    private var stale: StaleDevices

    /// Kept once the radio listens, or cannot.
    let listening = Promise<Void>()

    init(
        _ filter: ScanFilter,
        _ events: AsyncThrowingStream<ScanEvent, any Error>.Continuation,
        _ recovery: Recovery
    ) {
        self.filter = filter
        self.events = events
        stale = StaleDevices(recovery)
    }

    /// A device was received.
    mutating func report(_ sighting: Sighting, at path: ObjectPath) {
        guard filter.admits(sighting) else { return }
        reported[path] = sighting.peer
        events.yield(.seen(sighting))
    }

    /// Whether a device was reported.
    func hasReported(_ path: ObjectPath) -> Bool { reported[path] != nil }

    /// A device was forgotten.
    mutating func forget(_ path: ObjectPath) {
        stale.keep(path)
        guard let peer = reported.removeValue(forKey: path) else { return }
        events.yield(.lost(peer))
    }

    /// Whether a device that was received may advertise what the scan looks for, and is not shown with it (Decisions/0007).
    ///
    /// - Parameters:
    ///   - sighting: what was received, with the services that bluetoothd shows.
    ///   - device: the device, without a link.
    /// - Returns: whether it is to be forgotten: it has been received so for a while; from then on not again for a longer one.
    mutating func takesForStale(_ sighting: Sighting, _ device: Device1) -> Bool {
        guard !filter.services.isEmpty, filter.services.isDisjoint(with: sighting.serviceUUIDs),
            device.areServicesRead,
            ScanFilter(name: filter.name, rssi: filter.rssi).admits(sighting)
        else { return false }
        return stale.receive(device.path)
    }

    /// There is a link to a device.
    mutating func didConnect(_ path: ObjectPath) {
        stale.keep(path)
    }

    /// Ends the scan; without an error when it was ended on purpose.
    ///
    /// - Parameters:
    ///   - error: what it ends with.
    ///   - failure: what starting it fails with while it has not begun to listen; by default the same, or a cancellation.
    func end(_ error: (any Error)? = nil, startingFailsWith failure: (any Error)? = nil) {
        listening.fail(failure ?? error ?? CancellationError())
        events.finish(throwing: error)
    }
}
