internal import BLE
internal import BLEDBus
internal import Logging

/// The end of a link from here.
extension RemoteDevice {
    /// Ends a link from here; the last one ends the connection.
    func disconnect(_ lease: Int) async {
        guard leases.contains(lease) else { return }
        switch state {
        case .up: close(lease, nil)
        // Another program is ending it; who wants the same needs no reason.
        case .leaving(_?): _ = leases.end(lease, nil)
        // Another call is ending it, which takes a while.
        case .leaving(nil): break
        case .connecting, .ended: return
        }
        await waitForRelease()
    }

    /// The peer has other services than bluetoothd shows, which forgets it after the connection.
    func forgetServices(_ lease: Int) -> Bool {
        guard isUp, leases.contains(lease), leases.count == 1, !isForeign || hasStaleAttributes,
            !device.isKept
        else { return false }
        hasStaleAttributes = true
        return true
    }

    /// Ends a link; the last one ends the connection.
    ///
    /// - Parameters:
    ///   - lease: the link.
    ///   - error: why; `nil` when its user ends it.
    func close(_ lease: Int, _ error: RadioError?) {
        guard leases.contains(lease) else { return }
        guard leases.count > 1 else { return leave(error) }
        closeSockets(of: lease, error)
        let paths = leases.end(lease, error)
        for path in paths { unsubscribeUnused(path) }
    }

    /// The adapter is closed; returns when bluetoothd has been asked what it has to be asked.
    func close(_ error: RadioError) async {
        if case .connecting = state {
            // A link of which nothing was asked yet is another program's.
            if isLinked || isCalled { release() }
            end(error)
        }
        leave(nil)
        await waitForRelease()
    }

    /// Ends the link from here, and fails what waits for it.
    func leave(_ reason: RadioError?) {
        failRequests(reason ?? Self.ended(peer))
        // A value that waited for a read may have been one too many.
        guard isUp else { return }
        state = .leaving(reason)
        release(reason)
        if let reason { end(reason) }
    }

    /// Leaves a link that another program is ending, which is shown for two seconds more; who connects
    /// again waits for its end.
    func leaveIfBeingEnded(_ result: Result<Message, any Error>) {
        guard isUp, case .failure(let error as ErrorReply) = result,
            error.name == BlueZError.notConnected
        else { return }
        isBeingEnded = true
        let reason = RadioError(.peerGone, "the link to \(peer) is being ended; connect again")
        failRequests(reason)
        state = .leaving(reason)
        release(reason)
    }

    /// Unsubscribes, and then ends the link, unless another program uses it.
    ///
    /// - Parameter error: why; `nil` when its user ends it.
    func release(_ error: RadioError? = nil) {
        guard let adapter else { return }
        releasing = adapter
        isForgotten = isForgotten || isStale
        let link = ReleasedLink(
            owner: self,
            device: device,
            notified: notified,
            unsubscribing: unsubscribing,
            acquired: acquiredPaths,
            going: remote.broken,
            isForeign: isForeign,
            isBeingEnded: isBeingEnded,
            wasLinked: isLinked,
            isStale: isStale
        )
        closeSockets(error)
        gate = NotificationGate()
        notified = []
        adapter.assumeIsolated { $0.release(link) }
    }

    /// bluetoothd has been asked to end the link, or need not be.
    func didRelease() {
        releasing = nil
        for promise in releases { promise.fulfil() }
        releases = []
    }

    /// The link is over, as far as this program is concerned.
    func didDisconnect() {
        guard case .leaving(let reason) = state else { return }
        // Its peer has taken a service back since bluetoothd was asked to end it.
        if isStale, !isForgotten { release(reason) }
        end(reason)
    }

    private func waitForRelease() async {
        guard releasing != nil else { return }
        let promise = Promise<Void>()
        releases.append(promise)
        // In a task of its own, as also who was cancelled wants this to be done.
        await Task { try? await promise.wait() }.value
    }

    /// Takes back what bluetoothd would keep after the peer has ended the link.
    ///
    /// - Parameters:
    ///   - error: with which the link has ended.
    ///   - wasUp: whether the link could be used.
    func clearUp(after error: RadioError, wasUp: Bool) {
        if wasUp, isStale { return release(error) }
        for path in notified.sorted(by: { $0.rawValue < $1.rawValue }) {
            connection.request(GattCharacteristic1(path: path).stopNotify, logger) { _ in }
        }
        gate = NotificationGate()
        notified = []
    }

    /// Whether bluetoothd would go on to show the device without a service that it may advertise.
    ///
    /// Once it has read the services of a device that is not connected, it takes no advertised ones any
    /// more (Decisions/0007).
    private var isStale: Bool {
        (remote.isIncomplete && !isForeign || hasStaleAttributes) && !device.isKept
    }
}
