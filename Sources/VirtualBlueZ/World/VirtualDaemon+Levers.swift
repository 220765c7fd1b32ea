internal import DBus

/// The levers with a check of what they act on.
extension VirtualDaemon {
    static let adapterNumbers = 0..<16

    /// Does what a lever says.
    ///
    /// - Throws: `VirtualBlueZ.Error.Failed` when there is nothing to be done.
    func pull(_ lever: Lever) throws(ErrorReply) {
        guard isRunning else { throw .notRunning }
        switch lever {
        case .unplug(let index):
            _ = try adapter(index)
            simulateUnplugging(of: index)
        case .plug(let index):
            guard adapters[index] == nil else {
                throw .leverFailed("hci\(index) is plugged in already")
            }
            simulatePlugging(of: index)
        case .powerOff(let index):
            guard try adapter(index).isPowered else {
                throw .leverFailed("hci\(index) is off already")
            }
            simulatePowerOff(of: index)
        case .powerOn(let index):
            guard try !adapter(index).isPowered else {
                throw .leverFailed("hci\(index) is on already")
            }
            simulatePowerOn(of: index)
        case .disconnect(let index, let other):
            let id = DeviceID(adapter: try adapter(index).index, peer: try adapter(other).index)
            guard device(id)?.isConnected == true else {
                throw .leverFailed("hci\(index) and hci\(other) are not connected")
            }
            simulateDisconnection(between: index, and: other)
        case .setProximity(let index, let other, let proximity):
            simulateProximityChange(proximity, between: index, and: other)
        }
    }

    private func adapter(_ index: Int) throws(ErrorReply) -> VirtualAdapter {
        guard let adapter = adapters[index] else {
            throw .leverFailed("hci\(index) is not plugged in")
        }
        return adapter
    }
}

extension ErrorReply {
    static let notRunning = leverFailed("bluetoothd does not run")
}
