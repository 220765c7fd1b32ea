internal import BLE
internal import DBus
internal import Logging

/// Keeps the number of devices that are remembered within bounds, however many are about.
///
/// Phones change their addresses every quarter of an hour, and bluetoothd makes an object of each.
extension Adapter {
    /// How many devices are remembered.
    static let maximumDeviceCount = 1024

    /// How many are asked for at once that have been forgotten and are heard again.
    private static let maximumRecallCount = 16

    /// Forgets devices that nobody wants, if there are too many.
    ///
    /// Those first that no scan reported, of these those that were not heard for longest. None that has
    /// a link.
    func forgetSurplus() {
        let surplus = sightings.surplus(over: Self.maximumDeviceCount) { path in
            let properties = mirror[path, Device1.interface] ?? .init()
            guard devices[path] == nil, !Device1(path: path, properties: properties).isConnected
            else {
                return nil
            }
            return scans.values.contains { $0.hasReported(path) } ? 1 : 0
        }
        for path in surplus {
            hasForgotten = true
            mirror.remove(path, Device1.interface)
            sightings.remove(path)
            for id in scans.keys { scans[id]?.forget(path) }
        }
    }

    /// Asks for a device that was forgotten here, and of which bluetoothd tells something.
    func recall(_ signal: Message) {
        guard hasForgotten, signal.member == "PropertiesChanged", let path = signal.path,
            path.parent == self.path, mirror[path, Device1.interface] == nil,
            recalled.count < Self.maximumRecallCount, recalled.insert(path).inserted
        else { return }
        let message = Message.bluez(
            path,
            "org.freedesktop.DBus.Properties",
            "GetAll",
            [.string(Device1.interface)]
        )
        connection.request(message, logger) { [weak self] result in
            self?.assumeIsolated { $0.didRecall(path, result) }
        }
    }

    private func didRecall(_ path: ObjectPath, _ result: Result<Message, any Error>) {
        recalled.remove(path)
        guard daemon != nil, mirror[path, Device1.interface] == nil else { return }
        do {
            handle(try mirror.add(path, Device1.interface, result.get()))
        } catch {
            // bluetoothd has forgotten it, too.
            logger.debug("\(path) is gone: \(error)")
        }
    }
}
