internal import DBus

/// A controller of the daemon.
struct VirtualAdapter {
    /// A client's wishes for discovery.
    struct Scan {
        var filter: DiscoveryFilter?
        var isOn = false
    }

    static let maximumAdvertisements = 5

    let index: Int
    let path: ObjectPath
    let address: String
    var isPowered = true
    var alias = "BlueZ 5.66"

    /// By the client's unique name.
    var scans: [String: Scan] = [:]

    /// By the peer's adapter.
    var devices: [Int: VirtualDevice] = [:]

    var table = AttributeTable()
    var applications: [RegisteredApplication] = []

    /// Applications whose objects are being asked for.
    var newcomers: Set<RegisteredApplication.ID> = []

    var advertisements: [RegisteredAdvertisement] = []

    /// Advertisements whose properties are being asked for.
    var newAdvertisements: Set<RegisteredAdvertisement.ID> = []

    init(index: Int) {
        self.index = index
        path = VirtualDaemon.path.child("hci\(index)")
        address = Self.address(of: index)
    }

    static func address(of index: Int) -> String {
        let digits = twoDigits(index)
        return "00:AA:01:\(digits):00:\(digits)"
    }

    var isDiscovering: Bool { scans.values.contains(where: \.isOn) }

    /// Whether somebody can connect to it, if he is near.
    var isConnectable: Bool { isPowered && advertisements.contains(where: \.isConnectable) }

    /// The services of applications among those that every daemon has, in BlueZ's order.
    var uuids: [String] {
        var uuids = ["1801", "1800"].map(BluetoothUUIDText.long)
        for uuid in applications.flatMap(\.uuids) where !uuids.contains(uuid) {
            uuids.append(uuid)
        }
        return uuids + ["1200", "110c", "110e", "180a"].map(BluetoothUUIDText.long)
    }

    /// Whether one of its clients wants to hear of an advertisement.
    func hears(
        _ advertisement: RegisteredAdvertisement,
        from address: String,
        rssi: Int16
    ) -> Bool {
        scans.values.contains { scan in
            guard scan.isOn else { return false }
            guard let filter = scan.filter else { return advertisement.isDiscoverable }
            return filter.matches(advertisement, from: address, rssi: rssi)
        }
    }

    private static func twoDigits(_ number: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return digits.count == 1 ? "0" + digits : digits
    }
}
