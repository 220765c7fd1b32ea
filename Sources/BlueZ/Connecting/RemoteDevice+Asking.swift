internal import BLE
internal import BLEDBus
internal import Logging

/// Asking the peer whether the services are there that are used.
///
/// bluetoothd removes what a peer says has changed. But its subscription to Service Changed may have failed, and it takes an
/// unchanged Database Hash for a sign that nothing has changed; then it shows what has gone for as long as the link
/// lasts, and a program waits for values that never come. A program that ends leaves a trace, though, where it used services of this
/// machine, too: it unsubscribes (Decisions/0014).
extension RemoteDevice {
    /// A central has unsubscribed from something of this machine; it may be the peer, whose program may have ended.
    func didLoseSubscriber() {
        guard isUp, !isToBeAsked, !configurationsInUse.isEmpty else { return }
        isToBeAsked = true
        // Never cancelled: of what has gone by then nothing is asked.
        let limit = recovery.removalLimit
        _ = Deadline(after: limit, on: recovery.clock, of: self) { $0.askForServices() }
    }

    private var configurationsInUse: [ObjectPath: ObjectPath] {
        remote.configurations(of: acquiredPaths.union(gate.subscribed))
    }

    private func askForServices() {
        isToBeAsked = false
        guard isUp else { return }
        for (service, descriptor) in configurationsInUse {
            let message = GattDescriptor1(path: descriptor).readValue
            connection.request(message, logger) { [weak self] result in
                self?.assumeIsolated { $0.didAsk(for: service, result) }
            }
        }
    }

    private func didAsk(for service: ObjectPath, _ result: Result<Message, any Error>) {
        guard isUp, case .failure(let reply as ErrorReply) = result,
            BlueZError.refusal(reply)?.meansChangedServices == true,
            let withdrawal = remote.withdraw(service)
        else { return }
        hasStaleAttributes = true
        logger.info("it has taken \(withdrawal.uuid) back, which bluetoothd shows still")
        handle(withdrawal)
        signalChange()
    }
}
