internal import BLE
internal import BLEDBus
internal import Logging

/// Devices that advertise something else than what was discovered when they were connected to.
extension Adapter {
    /// Has bluetoothd forget a device that may advertise what a scan looks for (Decisions/0007).
    ///
    /// bluetoothd makes it anew of its next advertisement.
    ///
    /// - Parameters:
    ///   - device: a device that was received.
    ///   - sighting: what was received, with the services that bluetoothd shows.
    func forgetIfStale(_ device: Device1, _ sighting: Sighting) {
        guard !device.isConnected, !device.isKept, connecting[device.peer] == nil else { return }
        // Each scan is asked, as each counts for itself since when the device is received.
        var isStale = false
        for id in scans.keys {
            if scans[id]?.takesForStale(sighting, device) == true { isStale = true }
        }
        guard isStale else { return }
        let metadata: Logger.Metadata = ["peer": "\(device.peer)"]
        logger.info(
            "it may have other services than it shows: removing the device",
            metadata: metadata
        )
        connection.request(Adapter1(path: path).removeDevice(device.path), logger) { _ in }
    }
}
