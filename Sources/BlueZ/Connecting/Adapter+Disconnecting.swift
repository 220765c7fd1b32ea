internal import BLE
internal import BLEDBus
internal import Logging

/// A link that this program no longer uses.
struct ReleasedLink: Sendable {
    let owner: RemoteDevice
    let device: Device1
    /// Characteristics that bluetoothd may be notifying to this program.
    let notified: Set<ObjectPath>
    /// Those of which it has been asked to notify them no longer.
    let unsubscribing: Set<ObjectPath>
    /// Those that were notified through sockets, which are closed.
    let acquired: Set<ObjectPath>
    /// Services that are going, object by object; what is shown of them says nothing of other programs.
    let going: Set<ObjectPath>
    /// Whether another program made it, and keeps it.
    let isForeign: Bool
    /// Whether another program is ending it.
    let isBeingEnded: Bool
    /// Whether there was a link, so that the peer may use it as well.
    let wasLinked: Bool
    /// Whether bluetoothd has to forget the device.
    let isStale: Bool
}

/// Ending links, of which bluetoothd does not say who uses them: `Disconnect` ends them for all.
///
/// A program that uses a link is subscribed to something. So a link stays as long as any of the
/// device's characteristics is notified to somebody, and whoever is the last ends it (Decisions/0008).
/// An adapter that advertises waits for a moment before it ends one: the peer may be asking this machine for
/// something over it, which nobody shows, and bluetoothd dies when a link goes while a request waits for its reply.
extension Adapter {
    /// A link that is being released.
    struct Release {
        let link: ReleasedLink
        /// Where bluetoothd has not replied yet that it no longer notifies.
        var unanswered: Set<ObjectPath>
        var timer: Deadline?
    }

    /// Unsubscribes, and then ends a link, unless another program uses it.
    func release(_ link: ReleasedLink) {
        releaseCounts[link.device.path, default: 0] += 1
        let id = nextID()
        releases[id] = Release(link: link, unanswered: link.notified)
        guard !link.notified.isEmpty else { return finishRelease(id) }
        let subscribed = link.notified.subtracting(link.unsubscribing)
        for path in subscribed.sorted(by: { $0.rawValue < $1.rawValue }) {
            let message = GattCharacteristic1(path: path).stopNotify
            connection.request(message, logger) { _ in
                self.assumeIsolated { $0.didUnsubscribe(path, link.owner) }
            }
        }
        // Cancelled when all have been replied to.
        let limit = recovery.unsubscriptionLimit
        releases[id]?.timer = Deadline(after: limit, on: recovery.clock, of: self) {
            $0.finishRelease(id)
        }
    }

    /// bluetoothd has replied that it no longer notifies a characteristic.
    func didUnsubscribe(_ path: ObjectPath, _ owner: RemoteDevice) {
        for id in releases.keys.sorted() where releases[id]?.link.owner === owner {
            releases[id]?.unanswered.remove(path)
            if releases[id]?.unanswered.isEmpty == true { finishRelease(id) }
        }
    }

    private func finishRelease(_ id: Int) {
        guard let release = releases.removeValue(forKey: id) else { return }
        release.timer?.cancel()
        let link = release.link
        guard isAdvertising, state == .on, link.wasLinked, !link.isBeingEnded,
            connectedDevices.contains(link.device.path)
        else { return finish(release) }
        // Never cancelled: the link is to be ended in any case.
        let pause = recovery.servingPause
        _ = Deadline(after: pause, on: recovery.clock, of: self) { $0.finish(release) }
    }

    private func finish(_ release: Release) {
        let link = release.link
        if state == .on, mayEnd(link, release.unanswered) {
            endLink(link)
        } else {
            didRelease(link)
        }
        link.owner.assumeIsolated { $0.didRelease() }
    }

    private func mayEnd(_ link: ReleasedLink, _ unanswered: Set<ObjectPath>) -> Bool {
        let path = link.device.path
        // The next one from here goes on with it.
        if let next = devices[path], next !== link.owner { return false }
        guard !link.isBeingEnded else { return true }
        let own = unanswered.union(link.acquired)
        // Of no use to whoever has made it, either, where the peer refuses what is shown.
        let isLeft = link.isForeign && !link.isStale
        guard !isLeft, !isNotifying(path, except: own, within: link.going) else {
            let metadata: Logger.Metadata = ["peer": "\(link.device.peer)"]
            logger.debug("the link stays: another program uses it", metadata: metadata)
            return false
        }
        return true
    }

    /// Whether a value of a device is notified to any program.
    ///
    /// - Parameters:
    ///   - device: the device.
    ///   - own: characteristics that don't count.
    ///   - going: services whose characteristics don't.
    /// - Returns: whether any other characteristic is notified.
    func isNotifying(
        _ device: ObjectPath,
        except own: Set<ObjectPath> = [],
        within going: Set<ObjectPath> = []
    ) -> Bool {
        mirror.objects(with: GattCharacteristic1.interface).contains { path, properties in
            path.isWithin(device) && !own.contains(path) && !going.contains(where: path.isWithin)
                && GattCharacteristic1(path: path, properties: properties).isNotifying
        }
    }

    /// A central has unsubscribed from something that this adapter serves.
    func didLoseSubscriber() {
        for device in devices.values { device.assumeIsolated { $0.didLoseSubscriber() } }
    }

    private func endLink(_ link: ReleasedLink) {
        let disconnect = link.device.disconnect
        var message = disconnect
        if link.isStale {
            let metadata: Logger.Metadata = ["peer": "\(link.device.peer)"]
            logger.info(
                "it has other services than it shows: removing the device",
                metadata: metadata
            )
            // Ends the link first.
            message = Adapter1(path: path).removeDevice(link.device.path)
        }
        connection.request(message, logger) { [connection, logger, weak self] result in
            if link.isStale, case .failure = result {
                // Who asked for the link's end wants that at least.
                connection.request(disconnect, logger) { _ in }
            }
            self?.assumeIsolated { $0.didRelease(link) }
        }
    }

    private func didRelease(_ link: ReleasedLink) {
        let count = releaseCounts[link.device.path, default: 1] - 1
        releaseCounts[link.device.path] = count > 0 ? count : nil
        link.owner.assumeIsolated { $0.didDisconnect() }
        // Having the device forgotten is a release of its own.
        if releaseCounts.isEmpty { releaseWaiters.fulfilAll() }
    }

    /// Ends all links from here.
    ///
    /// - Parameters:
    ///   - error: why attempts to make one end.
    ///   - waits: whether to wait until they are over, for a while.
    func disconnectAll(_ error: RadioError, _ waits: Bool) async {
        let devices = Array(devices.values)
        await withDiscardingTaskGroup { group in
            for device in devices { group.addTask { await device.close(error) } }
        }
        if waits { await waitForReleases() }
        for device in devices { await device.end(nil) }
    }

    private func waitForReleases() async {
        guard !releaseCounts.isEmpty else { return }
        let (id, promise) = releaseWaiters.add()
        let limit = Deadline(after: recovery.closingLimit, on: recovery.clock, of: self) { _ in
            promise.fulfil()
        }
        // In a task of its own, as also who was cancelled wants this to be done.
        await Task { try? await promise.wait() }.value
        limit.cancel()
        releaseWaiters.remove(id)
    }
}
