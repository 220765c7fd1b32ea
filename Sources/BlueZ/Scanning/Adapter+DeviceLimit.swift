internal import BLE
internal import BLEDBus
internal import Logging

/// Keeps the number of devices that are remembered within bounds, however many are about.
///
/// Phones change their addresses every quarter of an hour, and bluetoothd makes an object of each.
extension Adapter {
    /// How many devices are remembered.
    static let maximumDeviceCount = 1024

    /// How many are asked for at once that have been forgotten and advertise again.
    private static let maximumFetchCount = 16

    /// Forgets devices that nobody wants, if there are too many.
    ///
    /// Those first that no scan reported, of these those whose last advertisement is the oldest. None that has
    /// a link.
    func forgetOldDevices() {
        let surplus = sightings.surplus(over: Self.maximumDeviceCount) { path in
            let properties = mirror[path, Device1.interface] ?? .init()
            guard devices[path] == nil, !Device1(path: path, properties: properties).isConnected
            else {
                return nil
            }
            return scans.values.contains { $0.hasReported(path) } ? 1 : 0
        }
        for path in surplus {
            mirror.remove(path, Device1.interface)
            sightings.remove(path)
            for id in scans.keys { scans[id]?.forget(path) }
        }
    }

    /// Asks for a device that is not known here, and of which bluetoothd signals something.
    ///
    /// It was forgotten here; or bluetoothd, which had removed it and made it anew at once, has told that in the wrong order.
    func fetchUnknown(_ signal: Message) {
        guard signal.member == "PropertiesChanged", let path = signal.path,
            path.parent == self.path, mirror[path, Device1.interface] == nil,
            fetching.count < Self.maximumFetchCount, fetching.insert(path).inserted
        else { return }
        let message = Message.bluez(
            path,
            "org.freedesktop.DBus.Properties",
            "GetAll",
            [.string(Device1.interface)]
        )
        connection.request(message, logger) { [weak self] result in
            self?.assumeIsolated { $0.didFetch(path, result) }
        }
    }

    private func didFetch(_ path: ObjectPath, _ result: Result<Message, any Error>) {
        fetching.remove(path)
        guard daemon != nil, mirror[path, Device1.interface] == nil else { return }
        do {
            handle(try mirror.add(path, Device1.interface, result.get()))
        } catch {
            // bluetoothd has forgotten it, too.
            logger.debug("\(path) is gone: \(error)")
        }
    }
}
