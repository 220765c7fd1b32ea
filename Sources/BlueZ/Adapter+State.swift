public import BLE
internal import BLEDBus
internal import Logging

extension Adapter: DelayedRadioState {
    /// bluetoothd ends the links of an adapter, and then takes its power.
    package nonisolated var stateDelay: Duration { recovery.powerLimit }
}

/// Whether the adapter can be used, and what ends when it no longer can.
extension Adapter {
    /// Why the adapter cannot be used now; `nil` when it can.
    var unusableReason: RadioError? {
        if let ending { return ending }
        guard daemon != nil else { return RadioError(.noService, BlueZError.noDaemon) }
        guard let properties = mirror[path, Adapter1.interface] else {
            return RadioError(.absent, "the adapter \(name) is gone")
        }
        let adapter = Adapter1(path: path, properties: properties)
        guard isSame(adapter) else {
            return RadioError(.absent, "the adapter \(name) is gone; another has its name")
        }
        guard !adapter.isPowered else { return nil }
        let remedy = adapter.isBlocked ? BlueZError.blockedRemedy : BlueZError.offRemedy
        return RadioError(.off, "the adapter \(name) has no power\(remedy)")
    }

    /// What bluetoothd and the adapter can do, as far as they say.
    ///
    /// The release of bluetoothd stands in its Device ID; an administrator may have set another one.
    ///
    /// D-Bus: `org.bluez.Adapter1.Modalias`, `Roles`, `org.bluez.LEAdvertisingManager1.ActiveInstances`,
    /// `SupportedInstances`. Source: BlueZ, src/main.conf, `DeviceID`.
    public var capabilities: RadioCapabilities {
        let adapter = Adapter1(path: path, properties: mirror[path, Adapter1.interface] ?? .init())
        let manager = advertisingManager
        let count = manager.activeCount.flatMap { active in manager.freeCount.map { active + $0 } }
        let version = adapter.release.map { SystemVersion(major: $0.0, minor: $0.1) }
        return RadioCapabilities(
            system: version.map { "BlueZ \($0)" },
            version: version,
            roles: adapter.roles,
            // 511 and 512 bytes vanish on 5.66, and over an enhanced bearer of any version more than 508.
            lengths: .init(command: RemoteDevice.maximumCommandByteCount),
            advertisementCount: count,
            freeAdvertisementCount: manager.freeCount,
            features: features
        )
    }

    /// From 5.82 on bluetoothd asks an application for a socket for each central, and has one bearer unless told otherwise.
    private var features: RadioCapabilities.Features {
        let adapter = Adapter1(path: path, properties: mirror[path, Adapter1.interface] ?? .init())
        guard let release = adapter.release, release >= (5, 82) else {
            return .exclusiveAccess
        }
        return [.individualNotifications, .namedSubscribers, .exclusiveAccess, .orderedValues]
    }

    /// - Throws: ``RadioError``, `CancellationError`.
    func checkUsable() throws {
        try Task.checkCancellation()
        if let unusableReason { throw unusableReason }
    }

    /// Looks anew whether the adapter can be used.
    func refreshState() {
        guard !isClosing else { return }
        let unusableReason = unusableReason
        let state: RadioState =
            switch unusableReason?.code {
            case nil: .on
            case RadioError.Code.off: .off
            default: .absent
            }
        guard state != self.state else { return }
        self.state = state
        logState(unusableReason)
        for watcher in stateWatchers.values { watcher.yield(state) }
        guard let unusableReason else { return }
        // bluetoothd forgets it with the power.
        isDiscoveryFilterSet = false
        endCentral(unusableReason)
        // Advertisements and applications are kept while there is no power.
        if state == .absent { endPublications(unusableReason) }
    }

    private func logState(_ reason: RadioError?) {
        // That it can be used after it was opened is no news.
        let level: Logger.Level = address == nil ? .debug : .notice
        let text = reason.map { ": \($0)" } ?? ""
        logger.log(level: level, "the adapter is \(state)\(text)")
    }

    /// The connection to the bus is lost.
    func loseBus(_ error: BusError) {
        let ending = RadioError(.noService, "\(error)", underlying: error)
        self.ending = ending
        daemon = nil
        refreshState()
        endAll(ending)
    }

    /// The adapter is closed, or as good as that.
    func endAll(_ error: RadioError) {
        endCentral(error)
        endPublications(error)
        refreshState()
        for watcher in stateWatchers.values { watcher.finish() }
        stateWatchers = [:]
    }

    private func endCentral(_ error: RadioError) {
        discovery.end()
        discoveryTimer?.cancel()
        let scans = scans.values
        self.scans = [:]
        for scan in scans { scan.end(error) }
        resumeDiscoveryStopWaiters()
        resumptionWaits.failAll(error)
        for promise in disconnectionWaiters.values.flatMap(\.self) { promise.fail(error) }
        disconnectionWaiters = [:]
        for promise in interruptions.values { promise.fail(error) }
        let devices = devices.values
        self.devices = [:]
        for device in devices { device.assumeIsolated { $0.end(error) } }
    }

    private func endPublications(_ error: RadioError) {
        let publications = publications
        self.publications = []
        for publication in publications { publication.assumeIsolated { $0.end(error) } }
        let advertisements = advertisements
        self.advertisements = []
        for advertisement in advertisements { advertisement.assumeIsolated { $0.end(error) } }
    }
}
